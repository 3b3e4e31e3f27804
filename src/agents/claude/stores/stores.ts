import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Agent } from "../../../core/agent.ts";
import type { Kept, LeftAlone, Store } from "../../../core/store.ts";
import { uuidPattern } from "../../ids.ts";
import { storesInHome } from "./home.ts";
import type { InHome } from "./home.ts";
import { findMentions } from "./mentions.ts";
import { isSameFolder } from "./sameFolder.ts";
import { findTemporary } from "./temporary.ts";
import { findTranscripts } from "./transcripts.ts";
import type { Transcript } from "./transcripts.ts";

/** All that Claude Code keeps of one conversation, found by its id and never by the name of a folder. */
export const stores: NonNullable<Agent["stores"]> = async ({ conversation, cwd, configHomes }, signal) => {
  const { id, home } = conversation;
  if (!uuidPattern.test(id)) return { stores: [], leftAlone: [] };

  const known = await distinct([...(home === undefined ? [] : [home]), usualHome(), ...configHomes]);
  const transcripts = new Map<string, readonly Transcript[]>();
  for (const each of known) transcripts.set(each, await findTranscripts(each, id, signal));
  const asked = home === undefined ? known : known.slice(0, 1);
  const candidates = asked.flatMap((each) => transcripts.get(each) ?? []);
  const strange = new Map<Transcript, string>();
  if (candidates.length > 1) for (const each of candidates) await markStrange(each, cwd, strange);

  const [temporary, ...found] = [
    await findTemporary(id),
    ...(await Promise.all(known.map((each) => storesInHome(each, id, transcripts.get(each) ?? [], strange, signal)))),
  ];
  const own = found.filter((each) => asked.includes(each.home) && isIts(each, transcripts.get(each.home) ?? [], strange));
  const others = found.filter((each) => !own.includes(each));

  const since = Math.min(...known.flatMap((each) => transcripts.get(each) ?? []).map(({ beganAt }) => beganAt ?? 0));
  const kept: Kept = {
    stores: [...temporary.stores, ...own.flatMap(({ before }) => before), ...own.flatMap(({ transcripts }) => transcripts)],
    leftAlone: [...temporary.leftAlone, ...own.flatMap(({ leftAlone }) => leftAlone), ...others.flatMap(leaveAll)],
  };
  const mentions: LeftAlone[] = [];
  for (const { home } of own) mentions.push(...(await findMentions({ home, id, since: Number.isFinite(since) ? since : 0, known: kept }, signal)));
  return { ...kept, leftAlone: [...kept.leftAlone, ...mentions] };
};

/** As a Claude Code that is started here would have it. */
function usualHome(): string {
  return process.env["CLAUDE_CONFIG_DIR"]?.normalize("NFC") || join(homedir(), ".claude");
}

/** By their real paths, each as it was first called. */
async function distinct(homes: readonly string[]): Promise<readonly string[]> {
  const seen = new Map<string, string>();
  for (const home of homes.filter(isAbsolute)) {
    const real = await realpath(home).catch(() => resolve(home));
    if (!seen.has(real)) seen.set(real, resolve(home));
  }
  return [...seen.values()];
}

/** Of several with its id, those are its own that began where it was at work. */
async function markStrange(transcript: Transcript, cwd: string | undefined, strange: Map<Transcript, string>): Promise<void> {
  const { beganIn } = transcript;
  if (beganIn === undefined) strange.set(transcript, "several have its id, and this one does not tell where it began");
  else if (cwd === undefined || !(await isSameFolder(beganIn, cwd))) strange.set(transcript, `it began in ${beganIn}`);
}

/** A home whose transcripts are all another's is another's. */
function isIts(_: InHome, transcripts: readonly Transcript[], strange: ReadonlyMap<Transcript, string>): boolean {
  return transcripts.length === 0 || transcripts.some((each) => !strange.has(each));
}

function leaveAll({ home, before, transcripts, leftAlone }: InHome): readonly LeftAlone[] {
  const asLeft = ({ name, path }: Store): LeftAlone => ({ name, path, why: `it is in ${home}, which is not its config home`, holds: "text" });
  return [...before.map(asLeft), ...transcripts.map(asLeft), ...leftAlone];
}
