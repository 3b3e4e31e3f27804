import { readdir, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openLedger } from "../../../../src/sources/ledger/ledgerSource.ts";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import { talk } from "../../../support/facets.ts";
import { aBook, purged, recordOf } from "./aBook.ts";
import { tell } from "./book.ts";
import { entryOf } from "./entries.ts";

test("killed amid it, the book is as it was or as it should be, whole; done again it is as it should be", async () => {
  const many = Array.from({ length: 400 }, (_, nth) => entryOf(`other ${nth}`, { conversation: talk(`other ${nth}`), title: "x".repeat(2_000) }));
  const book = await aBook(entryOf("a"), ...many, entryOf("a", { title: "later" }));
  const before = await book.text();
  const ends = new Set<string>();
  for (let afterMs = 0; afterMs < 60; afterMs += 4) {
    await writeFile(book.path, before, "latin1");
    const child = await startChild([process.execPath, purgeOne, book.folder, "a"]);
    await until(() => child.said().includes("begun"));
    await sleep(afterMs);
    child.process.kill("SIGKILL");
    await child.ended;
    const now = await book.text();
    ends.add(now === before ? "old" : "new");
    if (now !== before) expect([now.includes('"A"'), now.split("\n").length]).toEqual([false, many.length + 2]);
    expect(["recorded", "alreadySo"]).toContain(await tell(openLedger(book.folder), recordOf("a"), purged));
    expect([(await book.text()).includes('"A"'), (await readdir(book.folder)).sort()]).toEqual([false, ["ledger.jsonl", "ledger.lock"]]);
  }
  expect(ends.has("old")).toBe(true);
});
const purgeOne = fileURLToPath(new URL("purgeOne.ts", import.meta.url));
