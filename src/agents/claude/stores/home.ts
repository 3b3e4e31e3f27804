import { readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LeftAlone, Store } from "../../../core/store.ts";
import { linkStoresAt, storesAt } from "../../../system/erase/files.ts";
import { listIfPresent } from "../../../system/files.ts";
import { findHistory } from "./history.ts";
import { findJobs } from "./jobs.ts";
import { isNamedBy } from "./named.ts";
import { findPidFiles } from "./pidFiles.ts";
import { findPlans } from "./plans.ts";
import type { Strange, Transcript } from "./transcripts.ts";

/** What one config home has of the conversation. */
export interface InHome {
  readonly home: string;
  readonly before: readonly Store[];
  readonly transcripts: readonly Store[];
  readonly leftAlone: readonly LeftAlone[];
}

/** Looks at the one home, and changes nothing. */
export async function storesInHome(home: string, id: string, transcripts: readonly Transcript[], strange: Strange, signal: AbortSignal): Promise<InHome> {
  const own = transcripts.filter((each) => !strange.has(each));
  const [history, jobs, pids, plans] = [
    await findHistory(home, id),
    await findJobs(home, id),
    await findPidFiles(home, id, signal),
    await findPlans(home, own, signal),
  ];
  const beside = await findBeside(home, id, transcripts, strange);
  const byId = [...pids, ...jobs.stores, ...(await latestLink(home, id)), ...(await namedById(home, id)), ...plans.stores, ...history.stores];
  // Two conversations have the id, and these tell no more than it.
  const isShared = own.length > 0 && own.length < transcripts.length;
  return {
    home,
    before: [...(isShared ? [] : byId), ...beside.stores],
    transcripts: (await Promise.all(own.map(({ path }) => storesAt({ root: home, path, name: "transcript", belongsBecause: named })))).flat(),
    leftAlone: [
      ...[...strange].filter(([each]) => transcripts.includes(each)).map(([{ path }, why]): LeftAlone => ({ name: "transcript", path, why, holds: "text" })),
      ...(isShared ? leave(byId, whyShared) : []),
      ...history.leftAlone,
      ...jobs.leftAlone,
      ...beside.leftAlone,
      ...plans.leftAlone,
    ],
  };
}

export function leave(stores: readonly Store[], why: string): readonly LeftAlone[] {
  return stores.map(({ name, path }) => ({ name, path, why, holds: "text" }));
}

export const whyShared = "another conversation has the same id, and nothing tells whose it is";
const named = "its name is the conversation's id";

/** Folders in which a file or folder is called by the id of its conversation. */
const folders: readonly (readonly [folder: string, name: string])[] = [
  ["session-env", "what its hooks have set for its shells"],
  ["tasks", "its list of tasks"],
  ["todos", "its list of tasks"],
  ["file-history", "files as they were before its edits"],
  ["debug", "its debug log"],
  ["image-cache", "images that were pasted into it"],
  ["uploads", "files that were given to it"],
  ["file-transfers", "files that were given to it"],
  ["scratch", "its scratch files"],
  ["dump-prompts", "its requests to the model"],
  ["api-dumps", "its requests to the model"],
  ["traces", "its trace"],
  ["startup-perf", "how its start went"],
  ["usage-data/facets", "what was told of it in a report of use"],
  ["usage-data/session-meta", "what was told of it in a report of use"],
];

async function namedById(home: string, id: string): Promise<readonly Store[]> {
  const stores: Store[] = [];
  for (const [folder, name] of folders)
    for (const each of await listIfPresent(join(home, folder)))
      if (isNamedBy(each, id)) stores.push(...(await storesAt({ root: home, path: join(home, folder, each), name, belongsBecause: named })));
  return stores;
}

/** It leads to the log of whoever began last. */
async function latestLink(home: string, id: string): Promise<readonly Store[]> {
  const path = join(home, "debug", "latest");
  const isIts = async (link: string): Promise<boolean> => isNamedBy(basename(await readlink(link).catch(() => "")), id);
  return linkStoresAt({ root: home, path, name: "the link to its debug log", belongsBecause: "it leads to the log of this conversation" }, isIts);
}

/** Sub-agents, results of tools and what else lies beside a transcript, under the same id. */
async function findBeside(
  home: string,
  id: string,
  transcripts: readonly Transcript[],
  strange: Strange,
): Promise<{ readonly stores: readonly Store[]; readonly leftAlone: readonly LeftAlone[] }> {
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  const projects = join(home, "projects");
  const areAllIts = !transcripts.some((each) => strange.has(each));
  for (const project of await listIfPresent(projects)) {
    const folder = join(projects, project);
    const its = transcripts.find(({ path }) => dirname(path) === folder);
    for (const each of await listIfPresent(folder)) {
      if (!isNamedBy(each, id) || each === `${id}.jsonl`) continue;
      const [path, name] = [join(folder, each), "its sub-agents, results of tools and other files"];
      const why = its ? strange.get(its) : areAllIts ? undefined : "several transcripts have its id, and none lies beside it";
      if (why === undefined) stores.push(...(await storesAt({ root: home, path, name, belongsBecause: named })));
      else leftAlone.push({ name, path, why, holds: "text" });
    }
  }
  return { stores, leftAlone };
}
