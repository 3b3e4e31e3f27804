import { basename } from "node:path";
import pLimit from "p-limit";
import type { Facet, SessionRecord } from "../../core/facet.ts";
import type { Guard, RecordOutcome, Source } from "../../core/source.ts";
import type { RewritePace } from "../../system/rewriteLines.ts";
import { watch } from "../../system/watch.ts";
import { parseDetails } from "./detailsRows.ts";
import { trackedId } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { parseEnv } from "./envLines.ts";
import { forgetElements, forgetLines, forgetTempFiles } from "./forgetting.ts";
import type { Forgotten } from "./forgetting.ts";
import { noticesOf, openTrackedFile, unreadableWords } from "./trackedFile.ts";
import type { Tracked } from "./trackedFile.ts";

/**
 * Two files in which scripts note the background sessions that they have started. They tell that a session was begun, and nothing of how it fares.
 * All that is ever done to them is to take one session out: its entries in both, and its temp files beside them, and no other byte.
 */
export function createTrackingSource(paths: { readonly env: string; readonly details: string }, pace: Partial<RewritePace> = {}): Source {
  const env = openTrackedFile(paths.env, parseEnv);
  const details = openTrackedFile(paths.details, parseDetails);
  // Two of one window would only wait for each other's lock.
  const oneAtATime = pLimit(1);

  return {
    id: "tracking",
    async read({ at }) {
      const [inEnv, inDetails] = await Promise.all([env.read(), details.read()]);
      const facets = [...listed(inEnv, inDetails)].map(([id, listing]) => recordOf(id, listing, at));
      return { facets, unreachable: [], notices: [...noticesOf(env.path, inEnv), ...noticesOf(details.path, inDetails)] };
    },
    async lookAgain({ key }, { at }) {
      const [inEnv, inDetails] = await readAfresh();
      const facet = findRecord(key, inEnv, inDetails, at);
      if (facet) return { kind: "seen", facet };
      if (inEnv.kind === "unreadable") return { kind: "unreachable", reason: unreadableWords(env.path, inEnv.reason) };
      if (inDetails.kind === "unreadable") return { kind: "unreachable", reason: unreadableWords(details.path, inDetails.reason) };
      return { kind: "notThere" };
    },
    watch: (onChange) => watch([env.path, ...(details.path === "" ? [] : [details.path])], onChange),
    async record(asSeen, change, guard, signal) {
      return change.kind === "forgotten" ? oneAtATime(() => forgotten(asSeen, guard, signal)) : { kind: "unsupported" };
    },
  };

  function readAfresh(): Promise<[Tracked, Tracked]> {
    return Promise.all([env.readAfresh(), details.readAfresh()]);
  }

  /** All that names it, also where only a temp file does. One file that can't be written does not hold up the other. */
  async function forgotten(asSeen: SessionRecord, guard: Guard, signal: AbortSignal): Promise<RecordOutcome> {
    const id = idOf(asSeen.key);
    if (!trackedId.test(id)) return { kind: "failed", reason: `${JSON.stringify(id)} is no session id` };
    const [inEnv, inDetails] = await readAfresh();
    const fresh = findRecord(asSeen.key, inEnv, inDetails, Date.now());
    if (!guard(fresh ?? asSeen)) return { kind: "changedMeanwhile", fresh };
    if (signal.aborted) return { kind: "failed", reason: "it was cancelled before anything was changed" };
    return outcomeOf([
      await forgetLines(env, id, pace),
      await forgetElements(details, id, pace),
      await forgetTempFiles(env.path, id, [...entriesOf(inEnv), ...entriesOf(inDetails)]),
    ]);
  }

  function findRecord(key: Facet["key"], inEnv: Tracked, inDetails: Tracked, at: number): SessionRecord | undefined {
    const listing = listed(inEnv, inDetails).get(idOf(key));
    return listing && recordOf(idOf(key), listing, at);
  }

  function recordOf(id: string, { inEnv, inDetails }: Listing, at: number): SessionRecord {
    const place = inEnv ? env.path : details.path;
    const name = inEnv?.name ?? inDetails?.name;
    const title = name ?? inDetails?.title;
    return {
      kind: "record",
      key: `tracking:${id}`,
      source: "tracking",
      place,
      says: { value: "active", seen: `listed in ${basename(place)}`, at },
      liveness: { value: "unknown", seen: "known only from the tracking files", at },
      isOnlyListed: true,
      ...(serversId.test(id) && { agent: "opencode", conversation: { agent: "opencode", id, toldBy: "record" } }),
      ...(name !== undefined && { name }),
      ...(title !== undefined && { title }),
      ...(inDetails?.cwd !== undefined && { cwd: inDetails.cwd }),
      ...(inDetails?.startedAt !== undefined && { startedAt: inDetails.startedAt }),
    };
  }
}
/** What begins so an OpenCode server may know; nobody else has ids like that. */
const serversId = /^ses_[0-9A-Za-z]+$/;

interface Listing {
  readonly inEnv?: Entry;
  readonly inDetails?: Entry;
}

/** By id, in the order of the files; of several entries in one file the last tells, as for whoever reads it line by line. */
function listed(inEnv: Tracked, inDetails: Tracked): ReadonlyMap<string, Listing> {
  const all = new Map<string, Listing>();
  for (const entry of entriesOf(inEnv)) all.set(entry.id, { inEnv: entry });
  for (const entry of entriesOf(inDetails)) all.set(entry.id, { ...all.get(entry.id), inDetails: entry });
  return all;
}

function entriesOf(tracked: Tracked): readonly Entry[] {
  return tracked.kind === "read" ? tracked.entries : [];
}

function idOf(key: Facet["key"]): string {
  return key.slice(key.indexOf(":") + 1);
}

function outcomeOf(parts: readonly Forgotten[]): RecordOutcome {
  const failures = parts.flatMap((part) => (part.kind === "failed" ? [part.reason] : []));
  if (failures.length > 0) return { kind: "failed", reason: failures.join("; ") };
  return { kind: parts.some(({ kind }) => kind === "removed") ? "recorded" : "alreadySo" };
}
