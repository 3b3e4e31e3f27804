import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendLine, isAbsence, listIfPresent, makePrivateFolder, readIfPresent, readTail, replaceFile } from "../../../src/system/files.ts";
import { aFolder } from "../../support/folder.ts";

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("who reads while a file is replaced sees the old text or the new one, whole", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state.json");
  const texts = ["a", "b"].map((letter) => letter.repeat(300_000));
  await replaceFile(path, texts[0] ?? "");
  const over = new AbortController();
  const odd: number[] = [];
  const reading = Array.from({ length: 3 }, async () => {
    while (!over.signal.aborted) {
      const text = await readFile(path, "utf8");
      if (!texts.includes(text)) odd.push(text.length);
    }
  });
  for (let times = 1; times <= 40; times++) await replaceFile(path, texts[times % 2] ?? "");
  over.abort();
  await Promise.all(reading);
  expect(odd).toEqual([]);
});

test("two who replace at once leave one of the two texts, and no temp behind", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state.json");
  await Promise.all([replaceFile(path, "one"), replaceFile(path, "two")]);
  expect(["one", "two"]).toContain(await readFile(path, "utf8"));
  expect(await readdir(folder.path)).toEqual(["state.json"]);
});

test("what is replaced is private, whatever it was before", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state.json");
  await writeFile(path, "old");
  await chmod(path, 0o644);
  await replaceFile(path, "new");
  expect(await modeOf(path)).toBe("600");
});

test("a replacement that fails leaves no temp behind", async () => {
  await using folder = await aFolder();
  await mkdir(join(folder.path, "state.json"));
  await expect(replaceFile(join(folder.path, "state.json"), "text")).rejects.toThrow("EISDIR");
  expect(await readdir(folder.path)).toEqual(["state.json"]);
});

test("a file is read whole, or not at all where it is larger than one wants to know", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "text");
  await writeFile(path, "12345");
  expect(await readIfPresent(path, 5)).toBe("12345");
  expect(await readIfPresent(path, 4)).toBeUndefined();
});

test("what is not there, no file, or a loop of links is no text", async () => {
  await using folder = await aFolder();
  await symlink(join(folder.path, "loop"), join(folder.path, "loop"));
  await writeFile(join(folder.path, "file"), "");
  for (const name of ["absent", ".", "loop", "file/below"]) expect(await readIfPresent(join(folder.path, name), 100)).toBeUndefined();
});

test("a tail begins at a line's start", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "log");
  await writeFile(path, "first\nsecond\nthird\n");
  expect(await readTail(path, 100)).toBe("first\nsecond\nthird\n");
  expect(await readTail(path, 9)).toBe("third\n");
});

test("a tail that begins in the middle of a letter is whole letters", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "log");
  await writeFile(path, "ääää\nöö\n");
  expect(await readTail(path, 8)).toBe("öö\n");
});

test("a last line that is longer than the tail is left out, not cut", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "log");
  await writeFile(path, `first\n${"x".repeat(50)}`);
  expect(await readTail(path, 20)).toBe("");
});

test("a file that is not there has no tail", async () => {
  await using folder = await aFolder();
  expect(await readTail(join(folder.path, "log"), 20)).toBeUndefined();
});

test("a folder that is not there, and a file, have no names in them", async () => {
  await using folder = await aFolder();
  await writeFile(join(folder.path, "a"), "");
  expect(await listIfPresent(folder.path)).toEqual(["a"]);
  expect(await listIfPresent(join(folder.path, "absent"))).toEqual([]);
  expect(await listIfPresent(join(folder.path, "a"))).toEqual([]);
});

test("lines of many writers stand whole beside each other", async () => {
  await using folder = await aFolder();
  const path = join(folder.path, "state", "journal.jsonl");
  const lines = Array.from({ length: 100 }, (_, at) => `${at} ${"x".repeat(5_000)}`);
  await Promise.all(lines.map((line) => appendLine(path, line)));
  const written = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(new Set(written)).toEqual(new Set(lines));
  expect(written).toHaveLength(100);
  expect([await modeOf(path), await modeOf(join(folder.path, "state"))]).toEqual(["600", "700"]);
});

test("a folder that is there already is as good", async () => {
  await using folder = await aFolder();
  await makePrivateFolder(join(folder.path, "a", "b"));
  await makePrivateFolder(join(folder.path, "a", "b"));
  expect(await modeOf(join(folder.path, "a", "b"))).toBe("700");
});

test("a bug is no absence", () => {
  expect(isAbsence(new TypeError("x is not a function"))).toBe(false);
  expect(isAbsence(Object.assign(new Error("full"), { code: "ENOSPC" }))).toBe(false);
  expect(isAbsence(Object.assign(new Error("gone"), { code: "ENOENT" }))).toBe(true);
});
