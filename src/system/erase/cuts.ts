import type { BigIntStats } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store, StoreOutcome } from "../../core/store.ts";
import { leftTempsOf, removeLeftTemps } from "../leftTemps.ts";
import { readOwnText, stampOf, textOf } from "../ownFile.ts";
import { replaceOwnFile } from "../replaceOwnFile.ts";
import { blocked, isGone, isOutOfReach, lookForFile } from "./confined.ts";
import type { Confined } from "./confined.ts";
import { guarded, reasonOf } from "./guarded.ts";

/** Entries of a file that its program writes anew as a whole, such as one of JSON. */
export interface Cut extends Confined {
  readonly name: string;
  readonly belongsBecause: string;
  /** The text without what is the conversation's, and with every other byte as it is; undefined where that can't be done exactly. */
  readonly without: (text: string) => string | undefined;
  /** For tests. */
  readonly quietMs?: number;
}

/** The store of those entries, where there are any. Whoever writes the file meanwhile is noticed, and then it is read and cut again. */
export async function cutStoresIn(cut: Cut): Promise<readonly Store[]> {
  const { name, path, belongsBecause } = cut;
  const found = await entriesIn(cut);
  if (found.kind === "none" && (await tempsWith(cut)).length === 0) return [];
  return [
    guarded({
      name,
      path,
      bytes: found.kind === "found" ? found.bytes : undefined,
      belongsBecause,
      isOutOfReach: await isOutOfReach(cut),
      async erase() {
        for (let attempt = 0; attempt < 5; attempt++) {
          const now = await entriesIn(cut);
          if (now.kind === "none") {
            const temps = await tempsWith(cut);
            if (temps.length > 0) await removeLeftTemps(path);
            return { kind: attempt === 0 && temps.length === 0 ? "absent" : "erased" };
          }
          if (now.kind === "blocked") return now;
          const done = await cutOnce(cut);
          if (done.kind === "blocked") return done;
        }
        // A program that takes no lock can win each time.
        return (await entriesIn(cut)).kind === "none" ? { kind: "erased" } : blocked("another program writes it there again and again");
      },
      async residue() {
        const now = await entriesIn(cut);
        const left = (await tempsWith(cut)).map((temp) => `its entries in ${temp}`);
        if (now.kind === "none") return left;
        return [now.kind === "blocked" ? `${path}: ${now.reason}` : `its entries in ${path}`, ...left];
      },
    }),
  ];
}

/** What a killed one has left of the file's new text, and may have such entries: it may have been cut off at any byte. */
async function tempsWith(cut: Cut): Promise<readonly string[]> {
  const temps = await leftTempsOf(cut.path);
  const found = await Promise.all(temps.map((path) => entriesIn({ ...cut, path })));
  return temps.filter((_, at) => found[at]?.kind !== "none");
}

type Found = { readonly kind: "found"; readonly bytes: number } | { readonly kind: "none" } | { readonly kind: "blocked"; readonly reason: string };

async function entriesIn(cut: Cut): Promise<Found> {
  try {
    return await findEntries(cut);
  } catch (error) {
    return blocked(reasonOf(error));
  }
}

async function findEntries({ root, path, without }: Cut): Promise<Found> {
  const target = await lookForFile({ root, path });
  if (target.kind !== "file") return target;
  const read = await readOwnText(path, largestBytes);
  if (read.kind === "absent") return { kind: "none" };
  if (read.kind === "refused") return blocked(read.reason);
  if (read.text.trim() === "") return { kind: "none" };
  const rest = without(read.text);
  if (rest === undefined) return blocked("its entries can't be told apart");
  return rest === read.text ? { kind: "none" } : { kind: "found", bytes: Buffer.byteLength(read.text) - Buffer.byteLength(rest) };
}
const largestBytes = 64 * 1024 * 1024;

async function cutOnce({ path, without, quietMs = 50 }: Cut): Promise<StoreOutcome> {
  let found: BigIntStats | undefined;
  let isLost = false;
  try {
    const replaced = await replaceOwnFile(path, {
      async write(old, fresh) {
        found = await old.stat({ bigint: true });
        const text = textOf(await old.readFile());
        const rest = text === undefined ? undefined : without(text);
        if (rest === undefined || rest === text) return "unchanged";
        await fresh.appendFile(rest);
        return "written";
      },
      isStillSo: async (old) => found !== undefined && stampOf(await old.stat({ bigint: true })) === stampOf(found),
      async afterwards(old) {
        // Who had opened the old file for writing just before goes on to write to it.
        await sleep(quietMs);
        const { size, mtimeNs } = await old.stat({ bigint: true });
        isLost = size !== found?.size || mtimeNs !== found.mtimeNs;
      },
    });
    switch (replaced.kind) {
      case "replaced":
        return isLost ? blocked("a program went on to write to the old file; what it wrote is lost") : { kind: "erased" };
      case "unchanged":
      case "absent":
        return { kind: "absent" };
      case "busy":
        return blocked("another program holds it");
      case "refused":
        return blocked(replaced.reason);
    }
  } catch (error) {
    if (isGone(error)) return { kind: "absent" };
    throw error;
  }
}
