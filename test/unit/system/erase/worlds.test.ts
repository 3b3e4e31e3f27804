import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { aFolder } from "../../../support/folder.ts";
import { wholeOf } from "./whole.ts";

const isRoot = process.getuid?.() === 0;
const script = fileURLToPath(new URL("eraseThere.ts", import.meta.url));

test("on a full disk a shared file stays as it was, and why is told", async () => {
  await using folder = await aFolder();
  expect(inOwnMounts(`mount -t tmpfs -o size=192k tmpfs "$1"`, folder.path, "full")).toEqual({
    told: [{ outcome: { kind: "blocked", reason: "the disk is full" }, residue: [`1 line of ${join(folder.path, "history")}`] }],
    isSame: true,
  });
});

test("of a disk that can only be read nothing goes, and why is told", async () => {
  await using folder = await aFolder();
  fillIn(folder.path);
  const before = wholeOf(folder.path);
  expect(inOwnMounts(`mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"`, folder.path)).toEqual({
    told: [
      { outcome: { kind: "blocked", reason: "its disk can only be read" }, residue: [`1 line of ${join(folder.path, "history")}`] },
      { outcome: { kind: "blocked", reason: "its disk can only be read" }, residue: [join(folder.path, "its")] },
    ],
    isSame: true,
  });
  expect(wholeOf(folder.path)).toEqual(before);
});

test("of a folder that may not be written nothing goes, and why is told", async () => {
  await using folder = await aFolder();
  fillIn(folder.path);
  chmodSync(join(folder.path, "its"), 0o500);
  chmodSync(folder.path, 0o500);
  const before = wholeOf(folder.path);
  // A root that is held to the modes of its files, as anybody else is.
  const held = isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"] : [];
  const told = run([...held, process.execPath, script, folder.path]);
  expect(wholeOf(folder.path)).toEqual(before);
  chmodSync(folder.path, 0o700);
  chmodSync(join(folder.path, "its"), 0o700);
  expect(told).toMatchObject({ told: [{ outcome: { reason: "it may not be changed" } }, { outcome: { reason: "it may not be changed" } }], isSame: true });
});

function fillIn(folder: string): void {
  mkdirSync(join(folder, "its"));
  writeFileSync(join(folder, "its/a"), "a");
  writeFileSync(join(folder, "history"), "its\nanother's line\n");
}

/** Nobody else sees these mounts, and they end with the program. */
function inOwnMounts(mount: string, folder: string, ...args: readonly string[]): unknown {
  return run(["unshare", "--map-root-user", "--mount", "sh", "-c", `${mount} && exec "$2" "$3" "$1" $4`, "sh", folder, process.execPath, script, ...args]);
}

function run([file = "", ...args]: readonly string[]): unknown {
  return JSON.parse(execFileSync(file, args, { encoding: "utf8", timeout: 30_000, stdio: ["ignore", "pipe", "ignore"] }));
}
