import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { storesAt } from "../../system/erase/files.ts";
import { findOnPath } from "../../system/findOnPath.ts";
import { run } from "../../system/run.ts";

/** What Cline keeps of the working folder for each turn: an index in its own folder, and references in the repository there, which is the user's own and stays as it is. */
export async function keptCheckpoints(home: string, id: string, cwds: readonly string[]): Promise<Kept> {
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const cwd of cwds) {
    const key = createHash("sha256").update(`${cwd}\0${id}`).digest("hex").slice(0, 32);
    const path = join(home, "checkpoint-scratch", key);
    stores.push(...(await storesAt({ root: home, path, name: "index of its checkpoints", belongsBecause: "it is named by its id and its folder" })));
    leftAlone.push(...(await referencesIn(cwd, id)));
  }
  return { stores, leftAlone };
}

async function referencesIn(cwd: string, id: string): Promise<readonly LeftAlone[]> {
  const git = await findOnPath("git");
  if (git === undefined) return [];
  const told = await run([git, "-C", cwd, "for-each-ref", "--count=1", "--format=%(refname)", `${start}${id}/`], options);
  if (told.kind !== "exited" || told.code !== 0 || !told.stdout.startsWith(`${start}${id}/`)) return [];
  const why = `it is your own repository: ${start}${id}/… name snapshots of your files, which \`git update-ref -d\` lets go`;
  return [{ name: "its checkpoints in the repository", path: cwd, why, holds: "id" }];
}
const start = "refs/cline/checkpoints/";

/** As git is run in a folder, whatever the environment says of another. */
const options = {
  withinMs: 10_000,
  env: {
    GIT_DIR: undefined,
    GIT_WORK_TREE: undefined,
    GIT_INDEX_FILE: undefined,
    GIT_COMMON_DIR: undefined,
    GIT_NAMESPACE: undefined,
    GIT_OBJECT_DIRECTORY: undefined,
  },
} as const;
