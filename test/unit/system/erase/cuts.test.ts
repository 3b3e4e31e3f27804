import { writeFileSync } from "node:fs";
import { chmod, open, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutElements } from "../../../../src/system/cutElements.ts";
import { cutStoresIn } from "../../../../src/system/erase/cuts.ts";
import { noAbort, withFolder } from "../../agents/seen.ts";

const text = '[ {"of": "a", "n": 1},\n  {"of": "b", "n": 12345678901234567890}, {"of": "a", "n": 2} ]\n';
const rest = '[ {"of": "b", "n": 12345678901234567890} ]\n';

async function withFile(
  use: (path: string, stores: () => ReturnType<typeof cutStoresIn>, folder: string) => Promise<void>,
  without = cutOf("a"),
): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, "entries.json");
    await writeFile(path, text, { mode: 0o640 });
    await use(path, () => cutStoresIn({ root: folder, path, name: "its entries", belongsBecause: "they name it", without }), folder);
  });
}

const cutOf = (name: string) => (json: string) => withoutElements(json, (each) => (each as { readonly of?: string } | null)?.of === name);

test("its entries go, and every other byte and the file's mode stay", async () => {
  await withFile(async (path, stores) => {
    const [store] = await stores();
    expect(store).toMatchObject({ path, bytes: text.length - rest.length });
    expect(await store?.erase(noAbort)).toEqual({ kind: "erased" });
    expect([await readFile(path, "utf8"), (await stat(path)).mode & 0o777]).toEqual([rest, 0o640]);
    expect(await store?.residue(noAbort)).toEqual([]);
    expect(await store?.erase(noAbort)).toEqual({ kind: "absent" });
    expect(await stores()).toEqual([]);
  });
});

test("what another program writes while it is being cut is kept", async () => {
  let times = 0;
  let path = "";
  const meanwhile = text.replace("[ ", '[ {"of": "c"}, ');
  const cut = cutOf("a");
  await withFile(
    async (file, stores) => {
      const [store] = await stores();
      path = file;
      expect(await store?.erase(noAbort)).toEqual({ kind: "erased" });
      expect(await readFile(path, "utf8")).toBe(rest.replace("[ ", '[ {"of": "c"}, '));
    },
    (json) => {
      // As it is read in order to be replaced: another program writes it anew, in one go.
      if (path !== "" && ++times === 2) writeFileSync(path, meanwhile);
      return cut(json);
    },
  );
  expect(times).toBeGreaterThan(3);
});

test("a program that had it open, and writes to the old file, is noticed", async () => {
  await withFile(async (path, stores) => {
    const [store] = await stores();
    await using held = await open(path, "r+");
    const erased = store?.erase(noAbort);
    const before = (await held.stat()).ino;
    while ((await stat(path)).ino === before) await new Promise((resolve) => setImmediate(resolve));
    await held.write("[]", 0);
    expect(await erased).toEqual({ kind: "blocked", reason: "a program went on to write to the old file; what it wrote is lost" });
  });
});

test("what can't be told apart, is a link, or lies outside is left as it is", async () => {
  await withFile(async (path, stores, folder) => {
    await writeFile(path, `${text}]`);
    const [broken] = await stores();
    expect(await broken?.erase(noAbort)).toEqual({ kind: "blocked", reason: "its entries can't be told apart" });
    expect(await readFile(path, "utf8")).toBe(`${text}]`);
    await writeFile(path, text);
    await symlink(path, join(folder, "link.json"));
    const of = { name: "its entries", belongsBecause: "they name it", without: cutOf("a") };
    const [link] = await cutStoresIn({ ...of, root: folder, path: join(folder, "link.json") });
    expect(await link?.erase(noAbort)).toEqual({ kind: "blocked", reason: "it is a symbolic link" });
    const [outside] = await cutStoresIn({ ...of, root: join(folder, "none"), path });
    expect(await outside?.erase(noAbort)).toMatchObject({ kind: "blocked" });
    expect(await readFile(path, "utf8")).toBe(text);
  });
});

test("an empty file, or none, holds nothing", async () => {
  await withFile(async (path, stores) => {
    await writeFile(path, "");
    await chmod(path, 0o600);
    expect(await stores()).toEqual([]);
  });
});
