import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watch } from "../../../src/system/watch.ts";
import { aFolder } from "../../support/folder.ts";
import { stays, until } from "../../real/support/until.ts";

interface Watching {
  /** Does this until it is noticed: a watch takes a moment to stand, and one news may stand for several changes. */
  notices(change: (time: number) => Promise<void>): Promise<void>;
  /** No news comes of this. */
  ignores(change: () => Promise<void>): Promise<void>;
  stop(): void;
}

function watching(...paths: readonly string[]): Watching {
  let news = 0;
  let time = 0;
  const stop = watch(paths, () => news++);
  onTestFinished(() => stop[Symbol.dispose]());
  const quiet = async (): Promise<void> => {
    let before: number;
    do {
      before = news;
    } while (!(await stays(() => news === before, 250)));
  };
  return {
    async notices(change) {
      await quiet();
      const before = news;
      await until(async () => {
        await change(time++);
        return stays(() => news === before, 200).then((wasQuiet) => !wasQuiet);
      });
    },
    async ignores(change) {
      await quiet();
      const before = news;
      await change();
      expect(await stays(() => news === before, 400)).toBe(true);
    },
    stop: () => stop[Symbol.dispose](),
  };
}
const write = (path: string) => (time: number) => writeFile(path, String(time));

test("a change of a file is news", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state.json");
  await writeFile(path, "");
  await watching(path).notices(write(path));
});

test("a file that is replaced by a rename is news, again and again", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state.json");
  await writeFile(path, "");
  const seen = watching(path);
  for (let times = 0; times < 3; times++)
    await seen.notices(async (time) => {
      await writeFile(join(folder.path, ".new"), String(time));
      await rename(join(folder.path, ".new"), path);
    });
});

test("what stands beside a database under its name is news", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "sessions.db");
  await writeFile(path, "");
  await watching(path).notices((time) => appendFile(`${path}-wal`, String(time)));
});

test("what else changes in the folder of a file is none", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state.json");
  await writeFile(path, "");
  const seen = watching(path);
  await seen.notices(write(path));
  await seen.ignores(() => writeFile(join(folder.path, "other.json"), ""));
});

test("a file that comes into a folder is news", async () => {
  await using folder = await aFolder();
  await watching(folder.path).notices((time) => writeFile(join(folder.path, `${time}.json`), ""));
});

test("a file that does not exist yet", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state.json");
  const seen = watching(path);
  await seen.notices(write(path));
  await seen.notices(write(path));
});

test("a folder that does not exist yet, nor those above it", async () => {
  await using folder = await aFolder();
  const sessions = join(folder.path, "home", ".claude", "sessions");
  const seen = watching(sessions);
  await seen.notices(() => mkdir(join(folder.path, "home"), { recursive: true }).then(() => undefined));
  await seen.notices(async (time) => {
    await mkdir(sessions, { recursive: true });
    await writeFile(join(sessions, `${time}.json`), "");
  });
  await seen.notices((time) => writeFile(join(sessions, `${time}.json`), ""));
});

test("folders that are made all at once are followed to the last", async () => {
  for (let times = 0; times < 4; times++) {
    await using folder = await aFolder();
    const deep = join(folder.path, "a", "b", "c", "d");
    const seen = watching(deep);
    await seen.notices(() => mkdir(deep, { recursive: true }).then(() => writeFile(join(folder.path, "a.touched"), "")));
    await seen.notices((time) => writeFile(join(deep, `${time}.json`), ""));
    seen.stop();
  }
});

test("a folder that is removed and made again", async () => {
  await using folder = await aFolder();
  const sessions = join(folder.path, "sessions");
  await mkdir(sessions);
  const seen = watching(sessions);
  await seen.notices((time) => writeFile(join(sessions, `${time}.json`), ""));
  await rm(sessions, { recursive: true });
  await mkdir(sessions);
  await seen.notices((time) => writeFile(join(sessions, `${time}.json`), ""));
});

test("a folder that is removed is news, and so is that it is there again", async () => {
  await using folder = await aFolder();
  const sessions = join(folder.path, "above", "sessions");
  await mkdir(sessions, { recursive: true });
  const seen = watching(sessions);
  await seen.notices((time) => writeFile(join(sessions, `${time}.json`), ""));
  await seen.notices(() => rm(join(folder.path, "above"), { recursive: true, force: true }));
  await seen.notices((time) => mkdir(sessions, { recursive: true }).then(() => writeFile(join(sessions, `${time}.json`), "")));
  await seen.notices((time) => writeFile(join(sessions, `${time}.json`), ""));
});

test("many changes at once are one piece of news", async () => {
  await using folder = await aFolder();
  let news = 0;
  using _watching = watch([folder.path, join(folder.path, "state.json")], () => news++);
  await until(async () => {
    await writeFile(join(folder.path, "first"), String(news));
    return news > 0;
  });
  let before: number;
  do {
    before = news;
  } while (!(await stays(() => news === before, 300)));
  await Promise.all(Array.from({ length: 50 }, (_, at) => writeFile(join(folder.path, `${at}.json`), "")));
  await until(() => news > before);
  expect(await stays(() => news <= before + 2, 400)).toBe(true);
});

test("who listens no more hears nothing", async () => {
  await using folder = await aFolder();
  const seen = watching(folder.path);
  await seen.notices((time) => writeFile(join(folder.path, `${time}`), ""));
  seen.stop();
  await seen.ignores(() => writeFile(join(folder.path, "later"), ""));
});

test("who stops before its watch stands hears nothing", async () => {
  await using folder = await aFolder();
  const seen = watching(folder.path);
  seen.stop();
  await seen.ignores(() => writeFile(join(folder.path, "later"), ""));
});
