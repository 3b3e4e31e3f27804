import { lstat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { foundBy } from "../../../core/store.ts";
import type { LeftAlone, Store } from "../../../core/store.ts";
import { blocked } from "../../../system/erase/confined.ts";
import { storesAt } from "../../../system/erase/files.ts";
import { entriesOf } from "../../../system/erase/unreadable.ts";
import { countOf } from "../../../system/erase/rows.ts";
import { listIfPresent } from "../../../system/files.ts";
import { parseJson } from "../../jsonText.ts";
import { seeLines } from "./seeLines.ts";
import type { Transcript } from "./transcripts.ts";

/** Plans that it wrote in Claude Code's own folder of them. They are named by words, which its transcript tells; one that another conversation goes on with stays. */
export async function findPlans(
  home: string,
  own: readonly Transcript[],
  signal: AbortSignal,
): Promise<{ readonly stores: readonly Store[]; readonly leftAlone: readonly LeftAlone[] }> {
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  const plans = await listIfPresent(join(home, "plans"));
  if (plans.length === 0) return { stores, leftAlone };
  for (const slug of await slugsIn(own)) {
    for (const file of plans.filter((each) => each === `${slug}.md` || isOfSubAgent(each, slug))) {
      const path = join(home, "plans", file);
      // Words may be an ending of other words: what is called as a sub-agent's plan may be another conversation's own.
      const slugs = [...new Set([slug, file.slice(0, -".md".length)])];
      const why = await whyNotOwn(home, slugs, own, signal);
      if (why !== undefined) leftAlone.push({ name, path, why, holds: "text" });
      else stores.push(...(await planStores(home, path, slugs, own)));
    }
  }
  return {
    stores: foundBy(
      own.map(({ path }) => path),
      stores,
    ),
    leftAlone,
  };
}
const name = "its plan";

function isOfSubAgent(file: string, slug: string): boolean {
  return file.startsWith(`${slug}-agent-`) && /^[0-9a-f]+\.md$/.test(file.slice(`${slug}-agent-`.length));
}

/** Looked at again right before: a fork goes on by the same plan. */
async function planStores(home: string, path: string, slugs: readonly string[], own: readonly Transcript[]): Promise<readonly Store[]> {
  const found = await storesAt({ root: home, path, name, belongsBecause: "only its own transcript names it" });
  return found.map((store) => ({
    ...store,
    async erase(signal) {
      const why = await whyNotOwn(home, slugs, own, signal);
      return why === undefined ? store.erase(signal) : blocked(why);
    },
  }));
}

const told = z.object({ slug: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/) });

async function slugsIn(transcripts: readonly Transcript[]): Promise<ReadonlySet<string>> {
  const slugs = new Set<string>();
  for (const { path } of transcripts) {
    await seeLines(path, (line) => {
      const { data } = told.safeParse(line.includes('"slug"') ? parseJson(line) : undefined);
      if (data) slugs.add(data.slug);
    });
  }
  return slugs;
}

/** Undefined: nobody else works by it, as far as every other transcript of the home tells. */
async function whyNotOwn(home: string, slugs: readonly string[], own: readonly Transcript[], signal: AbortSignal): Promise<string | undefined> {
  const projects = join(home, "projects");
  for (const project of await namesIn(projects)) {
    const names = project === undefined ? [undefined] : await namesIn(join(projects, project));
    for (const each of names) {
      signal.throwIfAborted();
      if (project === undefined || each === undefined) return "what others work by can't be read";
      const path = join(projects, project, each);
      if (!each.endsWith(".jsonl") || own.some((transcript) => transcript.path === path)) continue;
      const isFile = (await lstat(path).catch(() => undefined))?.isFile() ?? false;
      // What can't be read may tell of it.
      for (const slug of isFile ? slugs : []) if ((await countOf(`"${slug}"`, [path]).catch(() => 1)) > 0) return "another conversation works by it";
    }
  }
  return undefined;
}

/** One that is undefined stands for those that can't be read. */
async function namesIn(folder: string): Promise<readonly (string | undefined)[]> {
  const entries = await entriesOf(folder);
  return entries === "unreadable" ? [undefined] : entries.map(({ name }) => name);
}
