import { lstat, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Store, StoreOutcome } from "../../core/store.ts";
import { blocked, lookAt } from "./confined.ts";
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
  let otherNames = 0;
  return [
    guarded({
      name,
      path,
      bytes: target.kind === "file" || target.kind === "folder" ? await bytesOf(path) : undefined,
      belongsBecause,
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
            otherNames = Math.max(otherNames, now.names - 1);
            return eraseThis(path, "file");
          case "folder":
            return eraseThis(path, "folder");
        }
      },
      async residue() {
        const isThere = (await lookAt(whole)).kind !== "absent";
        return [
          ...(isThere ? [path] : []),
          ...(otherNames > 0 ? [`the same file under ${otherNames === 1 ? "another name" : `${otherNames} other names`}`] : []),
        ];
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
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found?.isFile() ? found.size : 0;
  let bytes = 0;
  for (const name of await readdir(path).catch(() => [])) bytes += await bytesOf(join(path, name));
  return bytes;
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
