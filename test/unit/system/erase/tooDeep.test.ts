import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guarded } from "../../../../src/system/erase/guarded.ts";
import { storesAt } from "../../../../src/system/erase/files.ts";
import { lineStoresIn } from "../../../../src/system/erase/lines.ts";
import { unreadableBelow } from "../../../../src/system/erase/unreadable.ts";
import { aFolder } from "../../../support/folder.ts";
import { noAbort } from "../../agents/seen.ts";
import { eraseAll } from "./whole.ts";

/** Deeper than a path may be long, as a build that ran away makes it. It goes by a program that goes down step by step. */
function makeDeep(folder: string): Disposable {
  mkdirSync(folder, { recursive: true });
  const script = "import os, sys\nos.chdir(sys.argv[1])\nfor i in range(30):\n  os.mkdir('d' * 200); os.chdir('d' * 200)\nopen('f', 'w').write('its')";
  execFileSync("python3", ["-c", script, folder]);
  return { [Symbol.dispose]: () => void execFileSync("rm", ["-rf", folder]) };
}

test("a folder that is too deep to be deleted is blocked, and throws nothing", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "its");
  using _deep = makeDeep(path);
  const stores = await storesAt({ root: folder.path, path, name: "its folder", belongsBecause: "its name is the id" });
  expect(await eraseAll(stores)).toEqual([{ outcome: { kind: "blocked", reason: "a path in it is too long" }, residue: [path] }]);
  expect(existsSync(path)).toBe(true);
});

test("what lies too deep to be read is told, and hides nothing beside it", async () => {
  await using folder = await aFolder();
  using _deep = makeDeep(join(folder.path, "others"));
  const found = await unreadableBelow(folder.path, []);
  expect(found.map(({ name, holds }) => [name, holds])).toEqual([["a folder that can't be read", "unseen"]]);
  expect(await unreadableBelow(folder.path, [{ path: join(folder.path, "others") }])).toEqual([]);
  expect(await unreadableBelow(folder.path, [], 2)).toEqual([]);
});

test("a name that is too long is no file, and no fault", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "d".repeat(300));
  const named = { root: folder.path, path, name: "its", belongsBecause: "its name is the id" };
  const stores = [...(await storesAt(named)), ...(await lineStoresIn({ ...named, isIts: () => true }))];
  const told = { outcome: { kind: "blocked", reason: "a path in it is too long" } };
  expect(await eraseAll(stores)).toMatchObject([told, told]);
});

test("what the system says to one store blocks that one; a fault of ours is thrown", async () => {
  const store = (error: Error) => {
    const fails = async (): Promise<never> => {
      throw error;
    };
    return guarded({ name: "its", path: "/its", bytes: 0, belongsBecause: "", erase: fails, residue: fails, mayRemain: fails });
  };
  const said = store(Object.assign(new Error("ENODEV: no such device"), { code: "ENODEV", syscall: "read" }));
  expect([await said.erase(noAbort), await said.residue(noAbort), await said.mayRemain?.(noAbort)]).toEqual([
    { kind: "blocked", reason: "the system says ENODEV" },
    ["/its: the system says ENODEV"],
    "Whether something of it remains in /its can't be told: the system says ENODEV.",
  ]);
  const bug = store(new TypeError("x is not a function"));
  for (const asked of [bug.erase(noAbort), bug.residue(noAbort)]) await expect(asked).rejects.toThrow("x is not a function");
  const notOfTheSystem = store(Object.assign(new Error("bad"), { code: "ERR_INVALID_ARG_TYPE" }));
  await expect(notOfTheSystem.erase(noAbort)).rejects.toThrow("bad");
});

test("a file that has gone meanwhile is nothing that can't be read", async () => {
  await using folder = await aFolder();
  writeFileSync(join(folder.path, "a"), "");
  expect(await unreadableBelow(folder.path, [])).toEqual([]);
  expect(await unreadableBelow(join(folder.path, "none"), [])).toEqual([]);
  expect(await unreadableBelow(join(folder.path, "a"), [])).toEqual([]);
});
