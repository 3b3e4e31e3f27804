import type { BigIntStats } from "node:fs";
import { lstat, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Store, StoreOutcome } from "../../core/store.ts";
import { blocked, isOutOfReach, lookAt } from "./confined.ts";
import type { Confined } from "./confined.ts";
import { guarded } from "./guarded.ts";

/** A place that is all the conversation's, and goes as a whole. */
export interface Whole extends Confined {
  readonly name: string;
  readonly belongsBecause: string;
}

/** The store of a file or folder, where there is one; what can't be deleted is one too, and says why when it is tried. */
export async function storesAt(whole: Whole): Promise<readonly Store[]> {
  const { name, path, belongsBecause } = whole;
  const target = await lookAt(whole);
  if (target.kind === "absent") return [];
  let left = none;
  return [
    guarded({
      name,
      path,
      bytes: target.kind === "file" || target.kind === "folder" ? await bytesOf(path) : undefined,
      belongsBecause,
      isOutOfReach: await isOutOfReach(whole),
      async erase() {
        const now = await lookAt(whole);
        switch (now.kind) {
          case "absent":
            return { kind: "absent" };
          case "blocked":
            return now;
          case "link":
            return blocked("it is a symbolic link");
          case "file":
            left = more(left, { what: "the same file", otherNames: now.names - 1 });
            return eraseThis(path, "file");
          case "folder":
            left = more(left, { what: "files of it", otherNames: await otherNamesOf(path) });
            return eraseThis(path, "folder");
        }
      },
      async residue() {
        const isThere = (await lookAt(whole)).kind !== "absent";
        const { what, otherNames } = left;
        return [...(isThere ? [path] : []), ...(otherNames > 0 ? [`${what} under ${otherNames === 1 ? "another name" : `${otherNames} other names`}`] : [])];
      },
    }),
  ];
}

/** The store of a link that stands for the conversation, such as `latest`: it goes, and what it leads to is a store of its own, or none. */
export async function linkStoresAt(whole: Whole, isIts: (path: string) => Promise<boolean>): Promise<readonly Store[]> {
  const { name, path, belongsBecause } = whole;
  const isItsLink = async (): Promise<boolean> => (await lookAt(whole)).kind === "link" && (await isIts(path));
  if (!(await isItsLink())) return [];
  return [
    guarded({
      name,
      path,
      bytes: 0,
      belongsBecause,
      erase: async () => ((await isItsLink()) ? eraseThis(path, "link") : { kind: "absent" }),
      residue: async () => ((await isItsLink()) ? [path] : []),
    }),
  ];
}

/** Of a file, or of all that lies below a folder, links not followed. What may not be read counts nothing. */
export async function bytesOf(path: string): Promise<number> {
  let bytes = 0n;
  await seeFiles(path, ({ size }) => (bytes += size));
  return Number(bytes);
}

interface Left {
  readonly what: "the same file" | "files of it";
  readonly otherNames: number;
}
const none: Left = { what: "the same file", otherNames: 0 };

function more(a: Left, b: Left): Left {
  return b.otherNames > a.otherNames ? b : a;
}

/** How many names outside of a folder lead to files in it, as copies that are made of hard links do. */
async function otherNamesOf(folder: string): Promise<number> {
  const names = new Map<string, number>();
  await seeFiles(folder, ({ dev, ino, nlink }) => names.set(`${dev} ${ino}`, (names.get(`${dev} ${ino}`) ?? Number(nlink)) - 1));
  return [...names.values()].reduce((sum, others) => sum + others, 0);
}

async function seeFiles(path: string, see: (file: BigIntStats) => void): Promise<void> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found?.isFile()) see(found);
  if (found?.isDirectory()) for (const name of await readdir(path).catch(() => [])) await seeFiles(join(path, name), see);
}

/** Of a folder, link after link is taken out of it and none is followed: `rm` looks at each thing itself. */
async function eraseThis(path: string, kind: "file" | "folder" | "link"): Promise<StoreOutcome> {
  try {
    await (kind === "folder" ? rm(path, { recursive: true, force: true }) : unlink(path));
    return { kind: "erased" };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { kind: "absent" };
    throw error;
  }
}
