import { rm } from "node:fs/promises";
import { join } from "node:path";
import { listIfPresent } from "../../system/files.ts";
import { findStats, isOwn } from "../../system/ownFile.ts";

/** What lies beside the tracking files for one session: plain files of this user's own go, what else bears such a name stays and is told. */
export async function removeTempFiles(
  folder: string,
  id: string,
  otherIds: Iterable<string>,
): Promise<{ readonly removed: number; readonly left: readonly string[] }> {
  const isIts = isTempFileOf(id, otherIds);
  const left: string[] = [];
  let removed = 0;
  for (const name of (await listIfPresent(folder)).filter(isIts)) {
    const path = join(folder, name);
    const found = await findStats(path);
    if (!found) continue;
    if (found.isFile() && isOwn(found)) {
      await rm(path, { force: true });
      removed++;
    } else left.push(name);
  }
  return { removed, left };
}

/**
 * `health_needs_restart_ID`, and `session_…_ID` where the id is a whole word: what follows it is nothing, or a character that no id has, as in
 * `session_log_ses_1.txt`. In doubt a file stays, since the names don't tell where an id begins or ends: `session_log_ses_1_old` may be of an id
 * `ses_1_old`; `session_log_ses_1` is of `ses_1` and not of an id `1`; and what names a second session, or is as well of a longer id that is
 * tracked, is that one's too.
 */
export function isTempFileOf(id: string, otherIds: Iterable<string>): (name: string) => boolean {
  const longer = [...otherIds].filter((other) => other !== id && other.endsWith(`_${id}`));
  const isNamed = namerOf(id);
  const isNamedLonger = longer.map(namerOf);
  return (name) => {
    if (!isNamed(name)) return false;
    const namesAnother = [...name.matchAll(serversIds)].some(([, named]) => named !== id && !id.endsWith(`_${named}`));
    return !namesAnother && !isNamedLonger.some((isNamed) => isNamed(name));
  };
}
const serversIds = /(?<![a-zA-Z0-9-])(ses_[0-9A-Za-z]+)(?![a-zA-Z0-9_-])/g;

/** The id has letters, digits, `_` and `-` only: none of them means anything to a pattern. */
function namerOf(id: string): (name: string) => boolean {
  const ofSession = new RegExp(`^session_.*_${id}(?![a-zA-Z0-9_-])`, "s");
  return (name) => name === `health_needs_restart_${id}` || ofSession.test(name);
}
