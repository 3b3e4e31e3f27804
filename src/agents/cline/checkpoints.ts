import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Store } from "../../core/store.ts";
import { storesAt } from "../../system/erase/files.ts";
import { findOnPath } from "../../system/findOnPath.ts";
import { run } from "../../system/run.ts";
import { blocked } from "../../system/erase/confined.ts";

/** What Cline keeps of the working folder for each turn: references of its own in the repository there, and an index in its own folder. */
export async function checkpointStores(home: string, id: string, cwds: readonly string[]): Promise<readonly Store[]> {
  const stores: Store[] = [];
  for (const cwd of cwds) {
    const key = createHash("sha256").update(`${cwd}\0${id}`).digest("hex").slice(0, 32);
    const path = join(home, "checkpoint-scratch", key);
    stores.push(...(await storesAt({ root: home, path, name: "index of its checkpoints", belongsBecause: "it is named by its id and its folder" })));
    stores.push(...(await referenceStores(cwd, id)));
  }
  return stores;
}

async function referenceStores(cwd: string, id: string): Promise<readonly Store[]> {
  const git = await findOnPath("git");
  if (git === undefined) return [];
  const list = async (signal?: AbortSignal): Promise<readonly string[] | undefined> => {
    const told = await run([git, "-C", cwd, "for-each-ref", "--format=%(refname)", `${start}${id}/`], { ...options, ...(signal && { signal }) });
    if (told.kind !== "exited" || told.code !== 0) return undefined;
    return told.stdout.split("\n").filter((name) => name.startsWith(`${start}${id}/`));
  };
  if (((await list()) ?? []).length === 0) return [];
  return [
    {
      name: "its checkpoints in the repository",
      path: cwd,
      bytes: undefined,
      belongsBecause: `their names are ${start}${id}`,
      async erase(signal) {
        const names = await list(signal);
        if (names === undefined) return blocked("git can't list them");
        for (const name of names) {
          const told = await run([git, "-C", cwd, "-c", "core.hooksPath=/dev/null", "update-ref", "--no-deref", "-d", name], { ...options, signal });
          if (told.kind !== "exited" || told.code !== 0) return blocked("git can't delete them");
        }
        return { kind: names.length > 0 ? "erased" : "absent" };
      },
      async residue(signal) {
        const names = await list(signal);
        return names ?? [`${start}${id} in ${cwd}: git can't list them`];
      },
      mayRemain: async () => `What its checkpoints kept of the files in ${cwd} remains in the repository until git next clears what nothing names.`,
    },
  ];
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
