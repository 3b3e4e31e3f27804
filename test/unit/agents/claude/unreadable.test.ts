import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { projectKey } from "../../../../src/agents/claude/transcripts.ts";
import type { LeftAlone } from "../../../../src/core/store.ts";
import { runHeld } from "../runHeld.ts";
import { aPerson, id, keepConversation, keptOf, lines, neighbourId, promptLine, put, transcriptOf, words } from "./keptTree.ts";

const script = fileURLToPath(new URL("listStores.ts", import.meta.url));

interface Told {
  readonly found: readonly string[];
  readonly leftAlone: readonly LeftAlone[];
  readonly outcomes: readonly { readonly kind: string }[];
  readonly residue: readonly string[];
}

const purge = (home: string, cwd: string): Told => runHeld(script, home, cwd, id) as Told;

const why = "what of it is in there can't be told";
const aFolderAt = (path: string): LeftAlone => ({ name: "a folder that can't be read", path, why, holds: "unseen" });

test.each([0o000, 0o300, 0o100])("folders of mode %o, in which its own may be, are told and not taken for empty", async (mode) => {
  await using person = await aPerson();
  const { home, temporary, cwd } = person;
  keepConversation(home, temporary, { id, cwd, said: words });
  const key = projectKey(cwd);
  const folders = [join(home, "projects", key), join(home, "file-history"), join(temporary, `claude-${process.getuid?.()}`, key)];
  for (const folder of folders) chmodSync(folder, mode);
  const { leftAlone } = purge(home, cwd);
  for (const folder of folders) chmodSync(folder, 0o700);
  expect(leftAlone).toEqual(expect.arrayContaining(folders.map(aFolderAt)));
});

test("a file that can't be read, and was written since, is told; one of before is not", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  put(join(home, "projects/-a", `${id}.jsonl`), transcriptOf(id, cwd, words));
  const secret = join(home, "later/secret");
  put(secret, words);
  const old = join(home, "later/old");
  put(old, "");
  utimesSync(old, 1_000_000_000, 1_000_000_000);
  for (const path of [secret, old]) chmodSync(path, 0);
  const { found, leftAlone, residue } = purge(home, cwd);
  expect([found, residue]).toEqual([[join(home, "projects/-a", `${id}.jsonl`)], []]);
  expect(leftAlone).toEqual([{ name: "a file that can't be read", path: secret, why, holds: "unseen" }]);
});

test("a plan stays where others' transcripts can't be read", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  put(join(home, "plans/build-my.md"), words);
  put(join(home, "projects/-a", `${id}.jsonl`), transcriptOf(id, cwd, words) + lines({ slug: "build-my" }));
  const others = join(home, "projects/-b");
  put(join(others, `${neighbourId}.jsonl`), lines({ slug: "build-my" }));
  chmodSync(others, 0);
  const { leftAlone } = purge(home, cwd);
  chmodSync(others, 0o700);
  expect(leftAlone).toEqual([
    { name: "its plan", path: join(home, "plans/build-my.md"), why: "what others work by can't be read", holds: "text" },
    aFolderAt(others),
  ]);
});

test("a folder that is deeper than a path may be long hinders no purge, and is told", async () => {
  await using person = await aPerson();
  const { home, cwd } = person;
  put(join(home, "history.jsonl"), promptLine(id, words));
  mkdirSync(join(home, "plugins/cache"), { recursive: true });
  const goDown = "import os, sys\nos.chdir(sys.argv[1])\nfor i in range(30):\n  os.mkdir('d' * 200); os.chdir('d' * 200)";
  execFileSync("python3", ["-c", goDown, join(home, "plugins/cache")]);
  const { stores, leftAlone } = await keptOf({ home, cwd });
  execFileSync("rm", ["-rf", join(home, "plugins")]);
  expect(stores.map(({ path }) => path)).toEqual([join(home, "history.jsonl")]);
  expect(leftAlone.map(({ name }) => name)).toEqual(["a folder that can't be read"]);
});
