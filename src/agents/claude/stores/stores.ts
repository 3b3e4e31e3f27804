import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Agent } from "../../../core/agent.ts";
import type { Kept, LeftAlone } from "../../../core/store.ts";
import { uuidPattern } from "../../ids.ts";
import { leave, storesInHome, whyShared } from "./home.ts";
import type { InHome } from "./home.ts";
import { findMentions } from "./mentions.ts";
import { isSameFolder } from "./sameFolder.ts";
import { findTemporary } from "./temporary.ts";
import { findTranscripts, wasAtWorkIn } from "./transcripts.ts";
import type { Strange, Transcript } from "./transcripts.ts";

/** All that Claude Code keeps of one conversation, found by its id and never by the name of a folder. */
export const stores: NonNullable<Agent["stores"]> = async ({ conversation, cwd, configHomes }, signal) => {
  const { id, home, temporaryFolder } = conversation;
  if (!uuidPattern.test(id)) return { stores: [], leftAlone: [] };

  const homes = await distinct([...(home === undefined ? [] : [home]), usualHome(), ...configHomes]);
  const found = await Promise.all(homes.map(async (each) => ({ home: each, transcripts: await findTranscripts(each, id, signal) })));
  // Its own home known, it is not in any other: what is there is another's, or a copy.
  const asked = home === undefined ? found : found.slice(0, 1);
  const named = asked.flatMap(({ transcripts }) => transcripts);
  const isInSeveral = asked.filter(({ transcripts }) => transcripts.length > 0).length > 1;
  const strange: Strange = isInSeveral ? new Map(named.map((each) => [each, whichHome])) : await strangeAmong(named, cwd);
  const inHomes: InHome[] = [];
  for (const each of found) inHomes.push(await storesInHome(each.home, id, each.transcripts, strange, signal));
  // A home whose transcripts are all another's is another's.
  const own = inHomes.filter((_, at) => {
    const transcripts = asked[at]?.transcripts;
    return transcripts !== undefined && ((transcripts.length === 0 && !isInSeveral) || transcripts.some((each) => !strange.has(each)));
  });

  const temporary = await findTemporary(id, temporaryFolder);
  const kept: Kept = {
    stores: [...(strange.size === 0 ? temporary.stores : []), ...own.flatMap(({ before }) => before), ...own.flatMap(({ transcripts }) => transcripts)],
    leftAlone: [
      ...(strange.size === 0 ? [] : leave(temporary.stores, whyShared)),
      ...temporary.leftAlone,
      ...inHomes.flatMap((each, at) => (own.includes(each) ? each.leftAlone : leaveAll(each, at < asked.length))),
    ],
  };
  const since = earliest(found.flatMap(({ transcripts }) => transcripts));
  const mentions: LeftAlone[] = [];
  for (const each of own) mentions.push(...(await findMentions({ home: each.home, id, since, known: kept }, signal)));
  return { ...kept, leftAlone: [...kept.leftAlone, ...mentions] };
};

/** As a Claude Code that is started here would have it. */
function usualHome(): string {
  return process.env["CLAUDE_CONFIG_DIR"]?.normalize("NFC") || join(homedir(), ".claude");
}

const whichHome = "several config homes have one of its id, and which is meant is not known";

/** By their real paths, each as it was first called. */
async function distinct(homes: readonly string[]): Promise<readonly string[]> {
  const seen = new Map<string, string>();
  for (const home of homes.filter(isAbsolute)) {
    const real = await realpath(home).catch(() => resolve(home));
    if (!seen.has(real)) seen.set(real, resolve(home));
  }
  return [...seen.values()];
}

/**
 * Of several with its id, those are its own that began where it was at work: `--session-id` gives one id to as many as there are folders. A single one is
 * its own wherever it began, since a resumed conversation stays there, but not one that has nothing to do with where it was at work.
 */
async function strangeAmong(transcripts: readonly Transcript[], cwd: string | undefined): Promise<Strange> {
  const strange = new Map<Transcript, string>();
  const [only, second] = transcripts;
  if (only && !second) {
    const { beganIn } = only;
    const isIts = cwd === undefined || beganIn === undefined || (await isSameFolder(beganIn, cwd)) || (await wasAtWorkIn(only, cwd));
    return isIts ? strange : strange.set(only, `it began in ${beganIn}, and was never at work in ${cwd}`);
  }
  for (const each of transcripts) {
    const { beganIn } = each;
    if (beganIn === undefined) strange.set(each, "several have its id, and this one does not tell where it began");
    else if (cwd === undefined || !(await isSameFolder(beganIn, cwd))) strange.set(each, `it began in ${beganIn}`);
  }
  return strange;
}

/** Since ever, where it is not told. */
function earliest(transcripts: readonly Transcript[]): number {
  return transcripts.length === 0 ? 0 : Math.min(...transcripts.map(({ beganAt = 0 }) => beganAt));
}

function leaveAll({ home, before, transcripts, leftAlone }: InHome, isAsked: boolean): readonly LeftAlone[] {
  const why = isAsked ? "the transcript that has its id there is another conversation's, or may be" : `it is in ${home}, which is not its config home`;
  return [...leave([...before, ...transcripts], why), ...leftAlone];
}
