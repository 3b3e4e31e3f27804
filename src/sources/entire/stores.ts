import { lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Liveness } from "../../core/facet.ts";
import type { Store, StoreOutcome } from "../../core/store.ts";
import { blocked, lookAt, whyNotChanged } from "../../system/erase/confined.ts";
import { listIfPresent } from "../../system/files.ts";
import { isSameOwner } from "./owner.ts";
import { parseState } from "./state.ts";
import type { State } from "./state.ts";
import { readStateText } from "./stateFile.ts";
import { stateFolderName } from "./stateFolder.ts";
import { withStateLock } from "./stateLock.ts";

export interface StateOf {
  readonly common: string;
  readonly id: string;
  /** What its owner was when the operation looked. */
  readonly liveness: Liveness;
}

/** Its state and what the program keeps beside it: under the program's own lock, and only while it is over. Another's whose id begins like it, dot and all, stays. */
export async function storesIn(of: StateOf): Promise<readonly Store[]> {
  const { common, id } = of;
  const folder = join(common, stateFolderName);
  const path = join(folder, `${id}.json`);
  const asSeen = await stateAt(path, id);
  const names = await namesOf(folder, id);
  if (names.length === 0) return [];
  const sizes = await Promise.all(names.map(async (name) => (await lstat(join(folder, name)).catch(() => undefined))?.size ?? 0));
  return [
    {
      name: "Entire's state of it",
      path,
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      belongsBecause: "its files are called by the session's id",
      async erase(signal) {
        const done = await withStateLock(common, id, () => eraseUnderLock(of, asSeen, signal));
        switch (done.kind) {
          case "done":
            return done.value;
          case "busy":
            return blocked("Entire is at work on it");
          case "failed":
            return blocked(done.reason);
        }
      },
      residue: async () => (await namesOf(folder, id)).map((name) => join(folder, name)),
    },
  ];
}

async function eraseUnderLock({ common, id, liveness }: StateOf, asSeen: Look, signal: AbortSignal): Promise<StoreOutcome> {
  const folder = join(common, stateFolderName);
  const why = whyNot(await stateAt(join(folder, `${id}.json`), id), asSeen, liveness);
  if (why !== undefined) return blocked(why);
  if (signal.aborted) return blocked("it was cancelled before anything was deleted");
  const names = await namesOf(folder, id);
  for (const name of names) {
    const target = await lookAt({ root: folder, path: join(folder, name) });
    if (target.kind === "blocked") return blocked(`${name}: ${target.reason}`);
    if (target.kind !== "file" && target.kind !== "absent") return blocked(`${name} is ${target.kind === "link" ? "a symbolic link" : "a folder"}`);
  }
  try {
    for (const name of names) await rm(join(folder, name), { force: true });
  } catch (error) {
    const reason = whyNotChanged(error);
    if (reason === undefined) throw error;
    return blocked(reason);
  }
  return { kind: names.length > 0 ? "erased" : "absent" };
}

/** Our look is older than the lock. A gone process stays gone, and each turn writes down who runs it: a state that is open again has another owner. */
function whyNot(now: Look, before: Look, liveness: Liveness): string | undefined {
  if (now.kind === "absent") return undefined;
  if (now.kind !== "state") return "its state file can't be read, and is left alone";
  const { state, isOwn } = now;
  if (!isOwn) return "its state file belongs to another user";
  if (state.untouchable) return state.untouchable.kind === "moved" ? "it was moved to another place" : "it is imported, and read only";
  if (state.phase === "ended") return undefined;
  const isAsSeen = before.kind === "state" && before.state.phase !== "ended" && isSameOwner(before.state.owner, state.owner);
  if (!isAsSeen) return "it was taken up again";
  return state.owner.kind === "told" && liveness === "gone" ? undefined : "Entire has it as open, and its owner is not known to be gone";
}

type Look = { readonly kind: "state"; readonly state: State; readonly isOwn: boolean } | { readonly kind: "absent" | "unreadable" };

async function stateAt(path: string, id: string): Promise<Look> {
  const text = await readStateText(path);
  if (text.kind !== "text") return { kind: text.kind };
  const state = parseState(text.text, id);
  return state ? { kind: "state", state, isOwn: text.isOwn } : { kind: "unreadable" };
}

/** The state itself last: it is what the rest is found by. */
async function namesOf(folder: string, id: string): Promise<readonly string[]> {
  const isTemp = (name: string): boolean => name.startsWith(`${id}.json.`) && /^[^.]+\.tmp$/.test(name.slice(`${id}.json.`.length));
  const there = await listIfPresent(folder);
  const known = [".model", ".agent", ".banner", ".json"].map((ending) => `${id}${ending}`);
  return [...there.filter(isTemp), ...known.filter((name) => there.includes(name))];
}
