import { readdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { announceWindow, otherWindows } from "../../../src/system/windows.ts";
import { anEntry, censusOf, pid } from "../../support/facets.ts";
import { aFolder } from "../../support/folder.ts";

const at = 1_796_000_000_000;
const startedAt = (number: number, time: number | undefined) => censusOf(anEntry(pid(number), { startedAt: time }));

/** What a window with this process wrote down. */
async function announce(stateFolder: string, number: number, announced: unknown): Promise<void> {
  await announceWindow(stateFolder, "ours", []);
  await writeFile(join(stateFolder, "windows", `${hostname()}-${number}.json`), typeof announced === "string" ? announced : JSON.stringify(announced));
}
const files = (stateFolder: string) => readdir(join(stateFolder, "windows"));

test("another window that lives is told with its terminals; our own is not another", async () => {
  await using folder = await aFolder();
  await announce(folder.path, 77, { name: "app", terminals: [20, 30], at });
  expect(await otherWindows(folder.path, startedAt(77, at - 60_000))).toMatchObject([{ name: "app", terminals: [20, 30] }]);
});

test("a window says anew what it is called", async () => {
  await using folder = await aFolder();
  await announceWindow(folder.path, "before", [1]);
  await announceWindow(folder.path, "after", [2]);
  expect(await files(folder.path)).toEqual([`${hostname()}-${process.pid}.json`]);
});

test("what a window that died left behind is removed", async () => {
  await using folder = await aFolder();
  await announce(folder.path, 77, { name: "app", terminals: [], at });
  expect(await otherWindows(folder.path, censusOf())).toEqual([]);
  expect(await files(folder.path)).toEqual([`${hostname()}-${process.pid}.json`]);
});

test("a window whose pid somebody else has by now is dead", async () => {
  await using folder = await aFolder();
  await announce(folder.path, 77, { name: "app", terminals: [], at });
  expect(await otherWindows(folder.path, startedAt(77, at + 5_000))).toEqual([]);
  expect(await files(folder.path)).toEqual([`${hostname()}-${process.pid}.json`]);
});

test("where the process table could not be read nothing is told of windows, and nothing removed", async () => {
  await using folder = await aFolder();
  await announce(folder.path, 77, { name: "app", terminals: [], at });
  expect(await otherWindows(folder.path, { processes: undefined })).toEqual([]);
  expect(await files(folder.path)).toContain(`${hostname()}-77.json`);
});

test.each(["{", "null", "[]", '{"name":7,"terminals":[],"at":1}', '{"name":"x","terminals":"no","at":1}', '{"name":"x","terminals":[]}'])(
  "%s is no window",
  async (text) => {
    await using folder = await aFolder();
    await announce(folder.path, 77, text);
    expect(await otherWindows(folder.path, startedAt(77, 0))).toEqual([]);
  },
);

test("terminals that are no pids are left out", async () => {
  await using folder = await aFolder();
  await announce(folder.path, 77, { name: "app", terminals: [20, "30", null], at });
  expect((await otherWindows(folder.path, startedAt(77, 0)))[0]?.terminals).toEqual([20]);
});

test("no window has ever said anything: there is none", async () => {
  await using folder = await aFolder();
  expect(await otherWindows(folder.path, startedAt(77, 0))).toEqual([]);
});
