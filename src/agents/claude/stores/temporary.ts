import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { LeftAlone, Store } from "../../../core/store.ts";
import { storesAt } from "../../../system/erase/files.ts";
import { unreadableBelow } from "../../../system/erase/unreadable.ts";
import { listIfPresent } from "../../../system/files.ts";
import { findStats, isOwn } from "../../../system/ownFile.ts";
import { isNamedBy } from "./named.ts";

/** What its shells have put out, outside of any config home. It outlives the session. */
export async function findTemporary(
  id: string,
  named: string | undefined,
): Promise<{ readonly stores: readonly Store[]; readonly leftAlone: readonly LeftAlone[] }> {
  const stores: Store[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const root of await rootsOf(named)) {
    const why = await whyNotItsRoot(root);
    if (why === undefined) leftAlone.push(...(await unreadableBelow(root, [], 2)));
    for (const path of await findNamed(root, id)) {
      if (why === undefined) stores.push(...(await storesAt({ root, path, name, belongsBecause: "its name is the conversation's id" })));
      else leftAlone.push({ name, path, why, holds: "text" });
    }
  }
  return { stores, leftAlone };
}
const name = "its temporary files";

/** A folder of each user's own, below whatever place its own environment named for such files, or ours does. */
async function rootsOf(named: string | undefined): Promise<readonly string[]> {
  const uid = process.getuid?.();
  if (uid === undefined) return [];
  const roots = new Map<string, string>();
  for (const folder of [named ?? "", process.env["CLAUDE_CODE_TMPDIR"] ?? "", tmpdir(), "/tmp"].filter(isAbsolute)) {
    const place = await realpath(folder).catch(() => undefined);
    if (place !== undefined && !roots.has(place)) roots.set(place, join(folder, `claude-${uid}`));
  }
  return [...roots.values()];
}

/** Everybody may write to /tmp: another could have put a link, or a folder of their own, where Claude Code would look for its own. */
async function whyNotItsRoot(root: string): Promise<string | undefined> {
  const found = await findStats(root);
  if (found?.isSymbolicLink()) return `${root} is a symbolic link`;
  return found && !isOwn(found) ? `${root} belongs to another user` : undefined;
}

async function findNamed(root: string, id: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const project of await listIfPresent(root))
    for (const each of await listIfPresent(join(root, project))) if (isNamedBy(each, id)) paths.push(join(root, project, each));
  return paths;
}
