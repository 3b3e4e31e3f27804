import * as z from "zod";
import { canBeSeenFrom } from "../../core/census.ts";
import type { Census } from "../../core/census.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Liveness } from "../../core/facet.ts";
import { compareProcesses } from "../../core/process.ts";
import type { ProcessIdentity, ProcessStart } from "../../core/process.ts";

/** The process that a session was last seen to belong to: its agent, or whatever ran that agent's hook. */
export type Owner =
  | { readonly kind: "none" | "unreadable" }
  | {
      readonly kind: "told";
      readonly pid: number;
      /** In the system's own word: ticks on Linux, seconds and microseconds on macOS; empty where it was not to be had. */
      readonly start: string;
      readonly boot: string | undefined;
      readonly host: string | undefined;
      readonly name: string | undefined;
    };

const text = z.string().optional();
const OwnerShape = z.object({
  pid: z.int(),
  start: z.string().default(""),
  boot: text,
  host: text,
  name: text.catch(undefined),
});

export function ownerOf(value: unknown): Owner {
  if (value === undefined || value === null) return { kind: "none" };
  const { data } = OwnerShape.safeParse(value);
  if (!data) return { kind: "unreadable" };
  const { pid, start, boot, host, name } = data;
  return { kind: "told", pid, start, boot: boot || undefined, host: host || undefined, name: name || undefined };
}

export function isSameOwner(a: Owner, b: Owner): boolean {
  if (a.kind !== "told" || b.kind !== "told") return a.kind === "none" && b.kind === "none";
  return a.pid === b.pid && a.start === b.start && a.boot === b.boot && a.host === b.host;
}

/** Undefined for what is no process, or was told without a start that can be compared. */
export function processOfOwner(owner: Owner): ProcessIdentity | undefined {
  const start = owner.kind === "told" && canBePid(owner.pid) ? startOf(owner.start) : undefined;
  if (owner.kind !== "told" || !start) return undefined;
  return { pid: owner.pid, start, ...(owner.boot !== undefined && { bootId: owner.boot }), ...(owner.host !== undefined && { host: owner.host }) };
}

/**
 * As the program that wrote it has it, in the same order: a zombie is alive, and what has no owner is never gone. Where that program would compare what
 * can't be compared (a start or a boot told in another way, the pid of another container), unknown.
 */
export function livenessOfOwner(owner: Owner, census: Census): Evidence<Liveness> {
  const { here, processes, at } = census;
  const told = (value: Liveness, seen: string): Evidence<Liveness> => ({ value, seen, at });
  if (owner.kind === "none") return told("unknown", "no owner is recorded");
  if (owner.kind !== "told") return told("unknown", "its owner can't be read");

  const who = ownerWords(owner);
  if (!canBePid(owner.pid)) return told("unknown", `${who} is no process`);
  if (owner.host !== undefined && owner.host !== here.host) return told("unknown", `${who} runs on ${shown(owner.host)}`);
  if (owner.boot !== undefined && owner.boot !== here.bootId) {
    if (here.bootId === undefined || !isOneForm(owner.boot, here.bootId)) return told("unknown", `${who} was started in a boot that can't be compared`);
    return told("gone", `${who} went with an earlier boot`);
  }
  if (!processes) return told("unknown", "the process table can't be read");

  const entry = processes.get(owner.pid);
  const identity = processOfOwner(owner);
  if (entry && !identity) return told("unknown", `${who} is told without a start that can be compared`);
  const compared = entry && identity ? compareProcesses(identity, entry.identity) : "different";
  if (compared === "unknown") return told("unknown", `${who} can't be compared with process ${owner.pid}`);
  if (entry && compared === "same") {
    if (!canBeSeenFrom(here, entry.identity)) return told("unknown", `${who} runs in another container`);
    return told("alive", entry.state === "zombie" ? `${who} has ended, and was not collected yet` : `${who} lives`);
  }
  if (identity && mayBeElsewhere(identity, census)) return told("unknown", `${who} may run in another container`);
  return told("gone", `${who} is gone`);
}

/** Containers may share a host's name and its boot, and number their processes anew: the start is the same wherever one looks from. A namespace that may not be read may be another. */
function mayBeElsewhere({ start }: ProcessIdentity, { here, processes }: Census): boolean {
  if (here.pidNamespace === undefined || start.kind !== "ticks") return false;
  return [...(processes?.values() ?? [])].some(
    ({ identity }) => identity.pidNamespace !== here.pidNamespace && identity.start.kind === "ticks" && identity.start.ticks === start.ticks,
  );
}

function ownerWords({ pid, name }: Extract<Owner, { kind: "told" }>): string {
  return name === undefined ? `its owner (${pid})` : `its owner ${shown(name)} (${pid})`;
}

/** Another's words, in a row. */
function shown(word: string): string {
  return word
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(0, 60)
    .toWellFormed();
}

function canBePid(pid: number): boolean {
  return pid > 0 && pid <= 0x7fff_ffff;
}

function startOf(start: string): ProcessStart | undefined {
  if (/^\d{1,20}$/.test(start)) return { kind: "ticks", ticks: start };
  const seconds = /^(\d{1,12})\.\d{6}$/.exec(start)?.[1];
  return seconds === undefined ? undefined : { kind: "utc", atMs: Number(seconds) * 1000 };
}

/** A boot is a random id, or, where that could not be read, the time of it. */
function isOneForm(a: string, b: string): boolean {
  return uuid.test(a) === uuid.test(b);
}
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
