import { join } from "node:path";
import * as z from "zod";
import type { LeftAlone, Store } from "../../../core/store.ts";
import { storesAt } from "../../../system/erase/files.ts";
import { listIfPresent, readIfPresent } from "../../../system/files.ts";
import { findStats } from "../../../system/ownFile.ts";
import { parseJson } from "../../jsonText.ts";

/** What there is of its work in the background. The name of a job has 8 characters of an id, which two may share, and /clear goes on with another: its state tells whose it is. */
export async function findJobs(home: string, id: string): Promise<{ readonly stores: readonly Store[]; readonly leftAlone: readonly LeftAlone[] }> {
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  const jobs = join(home, "jobs");
  for (const job of await listIfPresent(jobs)) {
    const path = join(jobs, job);
    const whose = state.safeParse(parseJson(await readIfPresent(join(path, "state.json"), largestStateBytes))).data?.sessionId;
    if (whose === id) stores.push(...(await storesOf(home, job)));
    else if (job.length === 8 && id.startsWith(job) && (await findStats(path))?.isDirectory()) leftAlone.push(strangerAt(path, whose));
  }
  return { stores, leftAlone };
}

const state = z.object({ sessionId: z.string() });
const largestStateBytes = 4 * 1024 * 1024;

async function storesOf(home: string, job: string): Promise<readonly Store[]> {
  const belongsBecause = "its state names the conversation's id";
  return [
    ...(await storesAt({ root: home, path: join(home, "daemon", "gateway-routed", job), name: "a mark of its background job", belongsBecause })),
    ...(await storesAt({ root: home, path: join(home, "jobs", job), name: "its background job", belongsBecause })),
  ];
}

function strangerAt(path: string, whose: string | undefined): LeftAlone {
  const name = "a background job";
  if (whose === undefined) return { name, path, why: "its name begins as the id does, and nothing in it tells whose it is", holds: "text" };
  return { name, path, why: `its name begins as the id does, but it is that of ${whose}`, holds: "id" };
}
