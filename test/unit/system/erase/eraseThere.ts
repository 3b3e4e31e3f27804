import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storesAt } from "../../../../src/system/erase/files.ts";
import { lineStoresIn } from "../../../../src/system/erase/lines.ts";

// Run in a world that a test can't make around itself: deletes a file, and lines of another, of a folder, and tells how that went.
const [root = "", fill] = process.argv.slice(2);
const { signal } = new AbortController();

if (fill === "full") {
  writeFileSync(join(root, "history"), "its\n" + "another's line\n".repeat(1_000));
  const rest = join(root, "rest");
  for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2)) fillWith(rest, size);
}
const before = readFileSync(join(root, "history"), "utf8");

const stores = [
  ...(await lineStoresIn({ root, path: join(root, "history"), name: "its lines", belongsBecause: "each names it", isIts: (line) => line === "its" })),
  ...(await storesAt({ root, path: join(root, "its"), name: "its folder", belongsBecause: "its name is the id" })),
];
const told = [];
for (const store of stores) told.push({ outcome: await store.erase(signal), residue: await store.residue(signal) });
console.log(JSON.stringify({ told, isSame: readFileSync(join(root, "history"), "utf8") === before }));

function fillWith(path: string, size: number): void {
  for (;;) {
    try {
      writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      if (statSync(path).size === 0) rmSync(path);
      return;
    }
  }
}
