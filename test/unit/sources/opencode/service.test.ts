import { chmod, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findService } from "../../../../src/sources/opencode/service.ts";
import { aFolder } from "../../../support/folder.ts";
import { anOpencode } from "../../../support/opencodes.ts";

const itself = anOpencode(77, { ports: [{ host: "127.0.0.1", port: 4242 }] });
const registered = { id: "s", version: "2.0.0", url: "http://127.0.0.1:4242", pid: 77, password: "secret" };

async function aFile(value: unknown, mode = 0o600) {
  const folder = await aFolder();
  const path = join(folder.path, "service.json");
  await writeFile(path, typeof value === "string" ? value : JSON.stringify(value));
  await chmod(path, mode);
  return { path, folder, find: (processes = [itself]) => findService(processes, path), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("the service that registered itself is found, with its password, where it really listens", async () => {
  await using file = await aFile(registered);
  expect(await file.find()).toEqual({
    origin: "http://127.0.0.1:4242",
    process: itself,
    isExpected: true,
    login: { user: "opencode", password: "secret" },
  });
});

test("one without a password has none", async () => {
  await using file = await aFile({ ...registered, password: undefined });
  expect((await file.find())?.login).toBeUndefined();
});

test.each([
  ["a process that is not OpenCode, or not there", [anOpencode(78, { ports: itself.ports })]],
  ["one that listens on another port", [anOpencode(77, { ports: [{ host: "127.0.0.1", port: 4243 }] })]],
  ["one that does not listen", [anOpencode(77)]],
  ["nobody", []],
])("a registration that names %s is not believed", async (_what, processes) => {
  await using file = await aFile(registered);
  expect(await file.find(processes)).toBeUndefined();
});

test.each([0o604, 0o640, 0o660, 0o644])("a file that others may read or write is not believed: mode %o", async (mode) => {
  await using file = await aFile(registered, mode);
  expect(await file.find()).toBeUndefined();
});

test("a symbolic link is not followed, and a folder, a missing file or nonsense is no registration", async () => {
  await using file = await aFile(registered);
  const real = join(file.folder.path, "real.json");
  await rename(file.path, real);
  expect(await file.find()).toBeUndefined();
  await symlink(real, file.path);
  expect(await file.find()).toBeUndefined();
  const folder = join(file.folder.path, "folder");
  await mkdir(folder, { mode: 0o700 });
  expect(await findService([itself], folder)).toBeUndefined();
  for (const text of ["", "{", "[]", "null", '{"url":"no","pid":77}', '{"url":"http://127.0.0.1:4242","pid":-77}']) {
    await using broken = await aFile(text);
    expect([text, await broken.find()]).toEqual([text, undefined]);
  }
});

test("its password is for where that process listens, whatever host the file names", async () => {
  for (const url of ["http://example.test:4242", "http://localhost:4242", "http://0.0.0.0:4242"]) {
    await using file = await aFile({ ...registered, url });
    expect([url, (await file.find())?.origin ?? "http://127.0.0.1:4242"]).toEqual([url, "http://127.0.0.1:4242"]);
  }
});
