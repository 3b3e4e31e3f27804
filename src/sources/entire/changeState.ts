import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Evidence } from "../../core/evidence.ts";
import type { Liveness } from "../../core/facet.ts";
import type { Change, RecordOutcome } from "../../core/source.ts";
import { replaceFile } from "../../system/files.ts";
import { findStats, stampOf } from "../../system/ownFile.ts";
import { endState } from "./endState.ts";
import { isSameOwner } from "./owner.ts";
import { parseState } from "./state.ts";
import type { State } from "./state.ts";
import { readStateText } from "./stateFile.ts";
import { stateFolderName } from "./stateFolder.ts";
import { withStateLock } from "./stateLock.ts";

export interface Ending {
  readonly common: string;
  /** As it was when the operation looked, and what its owner was then. */
  readonly asSeen: State;
  readonly liveness: Evidence<Liveness>;
  readonly change: Extract<Change, { kind: "stopped" | "exited" }>;
  /** Asked of the state as it is now. */
  readonly guard: (fresh: State) => boolean;
  readonly signal: AbortSignal;
}

/** `changedMeanwhile` with the state that is there instead. */
export type Ended = Exclude<RecordOutcome, { kind: "changedMeanwhile" }> | { readonly kind: "changedMeanwhile"; readonly fresh: State | undefined };

/**
 * The books of one session are closed as the program itself would close them: under its own lock, decided anew on what is there then, and written
 * whole. The lock is held for that alone; whoever else holds it for longer is not waited for.
 */
export async function changeState(ending: Ending): Promise<Ended> {
  const { common, asSeen } = ending;
  const done = await withStateLock(common, asSeen.id, () => changeUnderLock(ending));
  return done.kind === "done" ? done.value : done;
}

async function changeUnderLock({ common, asSeen, liveness, change, guard, signal }: Ending): Promise<Ended> {
  const path = join(common, stateFolderName, `${asSeen.id}.json`);
  const before = await readStateText(path);
  if (before.kind === "absent") return { kind: "changedMeanwhile", fresh: undefined };
  const fresh = before.kind === "text" ? parseState(before.text, asSeen.id) : undefined;
  if (before.kind === "unreadable" || !fresh) return { kind: "failed", reason: "its state file can't be read, and is left alone" };
  if (fresh.untouchable)
    return { kind: "failed", reason: fresh.untouchable.kind === "moved" ? "it was moved to another place" : "it is imported, and read only" };
  if (!before.isOwn) return { kind: "failed", reason: "its state file belongs to another user" };

  if (fresh.phase === "ended") return { kind: "alreadySo" };
  if (fresh.owner.kind === "unreadable") return { kind: "failed", reason: "its owner can't be read" };
  // Our look is older than the lock: a gone process stays gone, so that it is still the same one is all there is to see.
  if (!isSameOwner(asSeen.owner, fresh.owner)) return { kind: "changedMeanwhile", fresh };
  if (change.kind === "exited" && (fresh.owner.kind !== "told" || liveness.value !== "gone"))
    return { kind: "failed", reason: "its owner is not known to be gone" };
  if (!guard(fresh)) return { kind: "changedMeanwhile", fresh };

  const text = endState(before.text, change, Date.now());
  if (text === undefined) return { kind: "failed", reason: "its state file can't be changed exactly, and is left alone" };
  if (signal.aborted) return { kind: "failed", reason: "it was cancelled before anything was changed" };
  const isStillSo = async (): Promise<boolean> => {
    const now = await findStats(path);
    return now !== undefined && stampOf(now) === before.stamp;
  };
  // Under the name that the program itself gives to such a file, and takes away with the session.
  const temp = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  if (!(await replaceFile(path, text, { temp, onlyIf: isStillSo }))) return { kind: "changedMeanwhile", fresh: undefined };
  const after = await readStateText(path);
  return after.kind === "text" && after.text === text ? { kind: "recorded" } : { kind: "failed", reason: "another program wrote its state file over at once" };
}
