import { realpath } from "node:fs/promises";
import type { Agent } from "../../core/agent.ts";
import type { Census } from "../../core/census.ts";
import type { Conversation, Run, SessionRecord } from "../../core/facet.ts";
import { isSameProcess } from "../../core/process.ts";
import { undoWithinMs } from "../../core/source.ts";
import type { Change, Guard, RecordOutcome, Source } from "../../core/source.ts";
import type { Machine } from "../../system/machine.ts";
import { watch } from "../../system/watch.ts";
import { cacheOf } from "./cache.ts";
import { changeRow, newRow, rowAfter } from "./changeRow.ts";
import type { Emptied } from "./emptyIdentity.ts";
import { isSameJson } from "./exactJson.ts";
import type { JsonObject } from "./json.ts";
import { placesOf } from "./places.ts";
import type { Places } from "./places.ts";
import { processOfRow } from "./processOfRow.ts";
import { recordOf } from "./recordOf.ts";
import { openRegistry } from "./registry.ts";
import type { KeyedRow } from "./keyedRow.ts";
import type { Cut, Decision } from "./decision.ts";
import type { RegistryReading } from "./registry.ts";
import { keyOf } from "./row.ts";
import type { Row } from "./row.ts";

/** The multi-agent-mux registry: its rows, met with the tmux sessions that they name, and kept true for every other program that reads it. */
export function createMuxSource(path: string, agents: readonly Agent[], machine: Pick<Machine, "cwdOf">): Source {
  const registry = openRegistry(path);
  const places = new WeakMap<Census, Places>();
  /** As it was when an operation looked: what somebody else has written since is seen by it. */
  const looked = new Map<string, JsonObject>();
  const forgotten = new Map<string, { readonly cut: Cut; readonly at: number }>();

  return {
    id: "mux",
    async read(census) {
      const reading = await registry.read();
      if (reading.kind === "absent") return { facets: [], unreachable: [], notices: [] };
      if (reading.kind === "unavailable")
        return { facets: [], unreachable: [{ place: path, reason: unavailableWords(reading), remedy: "openFile" }], notices: [] };
      const conversationOf = cacheOf(reading);
      const facets = await Promise.all(reading.rows.map((row) => recordIn(row, conversationOf(row), census)));
      return {
        facets,
        unreachable: [],
        notices: reading.unreadable > 0 ? [{ place: path, sentence: unreadableWords(reading.unreadable), remedy: "openFile" }] : [],
      };
    },
    async lookAgain({ key }, census) {
      const reading = await registry.read();
      if (reading.kind === "unavailable") return { kind: "unreachable", reason: unavailableWords(reading) };
      const row = reading.kind === "read" ? reading.rows.find((each) => keyOf(each.row) === key) : undefined;
      if (reading.kind === "absent" || !row) return { kind: "notThere" };
      looked.set(key, row.value);
      return { kind: "seen", facet: await recordIn(row, cacheOf(reading)(row), census) };
    },
    watch: (onChange) => watch(registry.files, onChange),
    record,
    async add(run, name) {
      const { outcome } = await registry.update((rows) => added(run, name, rows));
      return outcome;
    },
  };

  async function recordIn({ row }: KeyedRow, conversation: Conversation | undefined, census: Census): Promise<SessionRecord> {
    return recordOf(row, path, await processOfRow(row, placesIn(census), agents), conversation, census.at);
  }

  function placesIn(census: Census): Places {
    const known = places.get(census) ?? placesOf(census, agents, machine);
    places.set(census, known);
    return known;
  }

  async function record(asSeen: SessionRecord, change: Change, guard: Guard): Promise<RecordOutcome> {
    if (change.kind === "restored") return giveBack(asSeen.key);
    const isWorkspace = change.kind === "purged" ? await workspaceOf(asSeen.cwd) : isNone;
    const { outcome, cut } = await registry.update((rows) => decided(asSeen, change, guard, rows, isWorkspace));
    if (cut) forgotten.set(asSeen.key, { cut, at: Date.now() });
    return outcome;
  }

  /** Which of the folders in the caches are that one, by whatever way they are named. Asked before the lock, which is held for no look at a disk. */
  async function workspaceOf(cwd: string | undefined): Promise<(cwd: string) => boolean> {
    const real = cwd === undefined ? undefined : await realOf(cwd);
    const known = await Promise.all((await registry.cachedFolders()).map(async (folder) => ({ folder, real: await realOf(folder) })));
    const same = new Set(known.flatMap((each) => (each.real === real ? [each.folder] : [])));
    return (folder) => same.has(folder);
  }

  function decided(
    asSeen: SessionRecord,
    change: Exclude<Change, { kind: "restored" }>,
    guard: Guard,
    rows: readonly KeyedRow[],
    isWorkspace: Emptied["isWorkspace"],
  ): Decision {
    const at = rows.find(({ row }) => keyOf(row) === asSeen.key);
    const before = looked.get(asSeen.key);
    const named = at && namedNow(at, before, asSeen);
    const fresh = at && recordOf(at.row, path, { liveness: asSeen.liveness, ...(named && { process: named }) }, asSeen.conversation, Date.now());
    if (!at || !fresh || !guard(fresh)) return outcomeOf({ kind: "changedMeanwhile", fresh });
    // A row names no process: that nobody has taken it up again shows only in that nobody has written to it.
    if (before && isTakenUpAgain(change, before, at.value)) return outcomeOf({ kind: "changedMeanwhile", fresh });
    if (change.kind === "forgotten") return { kind: "remove", at };
    if (change.kind === "purged" && isAnothers(at.row, change.conversation)) return outcomeOf({ kind: "changedMeanwhile", fresh });
    const isMarked = before !== undefined && before["status"] !== "stopped" && at.row.status === "stopped";
    const wanted = changeRow(at.row, change, Date.now(), isMarked);
    if (!wanted) return outcomeOf({ kind: "unsupported" });
    looked.set(asSeen.key, rowAfter(at.value, wanted));
    const isOfIt = change.kind === "purged" && at.row.cwd === asSeen.cwd;
    return {
      kind: "change",
      at,
      ...wanted,
      ...(change.kind === "purged" && { emptied: { ...change.conversation, isWorkspace: isOfIt ? isWorkspace : isNone } }),
    };
  }

  async function giveBack(key: string): Promise<RecordOutcome> {
    const kept = forgotten.get(key);
    if (!kept || Date.now() - kept.at > undoWithinMs) return { kind: "failed", reason: "it was forgotten too long ago" };
    const { outcome } = await registry.update((rows) => {
      const there = rows.find(({ row }) => keyOf(row) === key);
      if (!there) return { kind: "giveBack", cut: kept.cut };
      return outcomeOf(isSameJson(there.value, kept.cut.row) ? { kind: "alreadySo" } : { kind: "failed", reason: "another row has its name now" });
    });
    if (outcome.kind === "recorded") forgotten.delete(key);
    return outcome;
  }
}

/** One that ended long ago stands in a row of ours until the next is written there: it means what it meant when it was looked at. */
function namedNow({ row, value }: KeyedRow, before: JsonObject | undefined, asSeen: SessionRecord): SessionRecord["process"] {
  return before && isSameJson(before["session_warden"], value["session_warden"]) ? row.process && asSeen.process : row.process;
}

/** What an operation saw may be another session's by now: of what ends or puts away a row nothing may have changed since, of the rest whom it means. */
function isTakenUpAgain(change: Change, before: JsonObject, now: JsonObject): boolean {
  switch (change.kind) {
    case "exited":
    case "archived":
    case "forgotten":
      return !isSameJson(before, now);
    case "stopped":
    case "purged":
    case "idCaptured": {
      const own = Object.keys({ ...before, ...now }).filter((key) => key.endsWith("_id_own") || key === "session_warden");
      const wasStartedAgain = before["status"] !== now["status"] && now["status"] === "running";
      return wasStartedAgain || own.some((key) => !isSameJson(before[key], now[key]));
    }
    case "survived":
    case "resumed":
    case "renamed":
    case "unarchived":
    case "restored":
      return false;
  }
}

/** What is written under another id is not what was purged. */
function isAnothers({ agent, ownId }: Row, conversation: Conversation): boolean {
  return (agent !== undefined && agent !== conversation.agent) || (ownId !== undefined && ownId !== conversation.id);
}

const isNone = (): boolean => false;

async function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** A name is one row's: what another agent, folder or conversation has under it stays theirs. */
function added(run: Run, name: string, rows: readonly KeyedRow[]): Decision {
  const there = rows.find(({ row }) => row.name === name)?.row;
  if (!there) return { kind: "add", row: newRow(run, name, Date.now()) };
  const ownProcess = run.host.kind === "process" ? run.host.process : undefined;
  const isIt =
    (there.process === undefined || isSameProcess(there.process, ownProcess)) &&
    there.says === "active" &&
    there.agent === run.agent &&
    (there.ownId === undefined ? there.cwd === run.cwd : there.ownId === run.conversation?.id);
  return outcomeOf(isIt ? { kind: "alreadySo" } : { kind: "failed", reason: `the registry has another row called ${name}` });
}

function outcomeOf(outcome: RecordOutcome): Decision {
  return { kind: "outcome", outcome };
}

function unavailableWords({ file, reason }: Extract<RegistryReading, { kind: "unavailable" }>): string {
  return `${file.split("/").at(-1)} can't be read, and is not written: ${reason}`;
}

function unreadableWords(count: number): string {
  return count === 1 ? "1 row has no name or can't be read, and is left as it is." : `${count} rows have no name or can't be read, and are left as they are.`;
}
