import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import type { Census } from "../../core/census.ts";
import type { SessionRecord } from "../../core/facet.ts";
import type { Change, Guard, Look, Reading, RecordOutcome, Source } from "../../core/source.ts";
import { changeState } from "./changeState.ts";
import { followFolders } from "./followFolders.ts";
import { leftIn } from "./leftAlone.ts";
import { ownershipIn } from "./ownership.ts";
import { isSameOwner, processOfOwner } from "./owner.ts";
import { keyOf, recordOf } from "./recordOf.ts";
import { openRepositories } from "./repositories.ts";
import type { Repositories } from "./repositories.ts";
import { isStateId, parseState } from "./state.ts";
import type { State } from "./state.ts";
import { readStateText } from "./stateFile.ts";
import { openStateFolder } from "./stateFolder.ts";
import type { FolderReading, StateFolder } from "./stateFolder.ts";
import { storesIn } from "./stores.ts";

/** The sessions that Entire keeps in the git directories of some folders' repositories. Read by us; written is only an end, as the program itself writes it. */
export function createEntireSource({ repositories, agents }: { readonly repositories: readonly string[]; readonly agents: readonly Agent[] }): Source {
  const found = openRepositories(repositories);
  const folders = new Map<string, StateFolder>();
  const followers = new Set<(paths: readonly string[]) => void>();
  /** What a record was made of: whether it is still so is asked under the lock. */
  const madeOf = new WeakMap<SessionRecord, State>();

  return {
    id: "entire",
    read,
    lookAgain: ({ key, place }, census, signal) => lookAgain(key, place, census, signal),
    watch(onChange) {
      const { follow, stop } = followFolders(onChange);
      followers.add(follow);
      // Of what is not found now, the next reading tells.
      void findFolders(AbortSignal.timeout(30_000)).catch(() => undefined);
      return {
        [Symbol.dispose]() {
          followers.delete(follow);
          stop();
        },
      };
    },
    record,
    async stores({ key, place, liveness }, signal) {
      const id = idIn(key);
      // Its id becomes a part of paths.
      if (!isStateId(id) || keyOf(id, place) !== key) return { stores: [], leftAlone: [] };
      return { stores: await storesIn({ common: place, id, liveness: liveness.value }), leftAlone: await leftIn(place, id, signal) };
    },
    takes: new Set(["exited", "stopped"]),
  };

  async function read(census: Census, signal: AbortSignal): Promise<Reading> {
    const { readings, unreachable } = await readAll(signal);
    const states = statesIn(readings);
    const ownership = ownershipIn(states, census, agents);
    return {
      facets: readings.flatMap(({ common, reading }) => statesIn([{ common, reading }]).map((state) => recordIn(state, common, ownership, census))),
      unreachable: [
        ...unreachable,
        ...readings.flatMap(({ common, reading }) => (reading.kind === "unreachable" ? [{ place: common, reason: reading.reason }] : [])),
      ],
      notices: readings.flatMap(({ common, reading }) =>
        reading.kind === "read" && reading.unreadable > 0 ? [{ place: common, sentence: unreadableWords(reading.unreadable, common) }] : [],
      ),
    };
  }

  /** That one file afresh; of the others it only matters whether they name the same process. */
  async function lookAgain(key: SessionRecord["key"], common: string, census: Census, signal: AbortSignal): Promise<Look> {
    const { readings, unreachable } = await readAll(signal);
    const id = idIn(key);
    const folder = readings.find((each) => each.common === common);
    const [silent] = unreachable;
    if (!folder && silent) return { kind: "unreachable", reason: silent.reason };
    if (!folder || !isStateId(id) || keyOf(id, common) !== key || folder.reading.kind === "absent") return { kind: "notThere" };
    if (folder.reading.kind === "unreachable") return folder.reading;
    const text = await readStateText(join(folderOf(common).path, `${id}.json`));
    if (text.kind === "absent") return { kind: "notThere" };
    const state = text.kind === "text" ? parseState(text.text, id) : undefined;
    if (!state) return { kind: "unreachable", reason: "its state file can't be read, and is left alone" };
    const others = readings.flatMap((each) => statesIn([each]).filter((other) => each.common !== common || other.id !== id));
    return { kind: "seen", facet: recordIn(state, common, ownershipIn([...others, state], census, agents), census) };
  }

  async function readAll(signal: AbortSignal): Promise<{ readonly readings: readonly Read[]; readonly unreachable: Reading["unreachable"] }> {
    const { commons, unreachable } = await findFolders(signal);
    const readings = await Promise.all(commons.map(async (common) => ({ common, reading: await readingOf(common) })));
    return { readings, unreachable };
  }

  async function findFolders(signal: AbortSignal): Promise<Repositories> {
    const now = await found.find(signal);
    for (const common of folders.keys()) if (!now.commons.includes(common)) folders.delete(common);
    for (const follow of followers) follow(now.commons.map((common) => folderOf(common).path));
    return now;
  }

  /** A repository that can't be read takes nothing from the others. */
  async function readingOf(common: string): Promise<FolderReading> {
    try {
      return await folderOf(common).read();
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      return { kind: "unreachable", reason: error.message };
    }
  }

  function folderOf(common: string): StateFolder {
    const folder = folders.get(common) ?? openStateFolder(common);
    folders.set(common, folder);
    return folder;
  }

  function recordIn(state: State, common: string, ownership: ReturnType<typeof ownershipIn>, { at }: Census): SessionRecord {
    const made = recordOf(state, common, ownership(state), agents, at);
    madeOf.set(made, state);
    return made;
  }

  async function record(asSeen: SessionRecord, change: Change, guard: Guard, signal: AbortSignal): Promise<RecordOutcome> {
    switch (change.kind) {
      case "exited":
      case "stopped": {
        const state = madeOf.get(asSeen);
        // Not as it was looked at: then nothing tells whether it is still so.
        if (!state) return { kind: "failed", reason: "its state could not be read before" };
        const freshOf = (fresh: State): SessionRecord => asItIsNow(fresh, state, asSeen);
        const ended = await changeState({
          common: asSeen.place,
          asSeen: state,
          liveness: asSeen.liveness,
          change,
          guard: (fresh) => guard(freshOf(fresh)),
          signal,
        });
        return ended.kind === "changedMeanwhile" ? { kind: ended.kind, fresh: ended.fresh && freshOf(ended.fresh) } : ended;
      }
      case "idCaptured":
        return { kind: asSeen.conversation?.id === change.conversation.id ? "alreadySo" : "unsupported" };
      case "survived":
      case "resumed":
      case "purged":
      case "renamed":
      case "archived":
      case "unarchived":
      case "forgotten":
      case "restored":
        return { kind: "unsupported" };
    }
  }

  /** Nothing is looked at anew: an owner that is another by now is named, since nobody has said of it that it is gone. */
  function asItIsNow(fresh: State, before: State, { place, liveness, process }: SessionRecord): SessionRecord {
    const isSame = isSameOwner(before.owner, fresh.owner);
    const named = isSame ? process : processOfOwner(fresh.owner);
    const now = Date.now();
    const told = isSame ? liveness : { value: "unknown" as const, seen: "it has another owner by now", at: now };
    return recordOf(fresh, place, { liveness: told, ...(named && { process: named }) }, agents, now);
  }
}

interface Read {
  readonly common: string;
  readonly reading: FolderReading;
}

function statesIn(readings: readonly Read[]): readonly State[] {
  return readings.flatMap(({ reading }) => (reading.kind === "read" ? reading.states : []));
}

/** By the repository's last two folders: "app/.git". */
function unreadableWords(count: number, common: string): string {
  const where = common.split("/").slice(-2).join("/");
  return count === 1
    ? `1 file of Entire in ${where} can't be read, and is left alone.`
    : `${count} files of Entire in ${where} can't be read, and are left alone.`;
}

function idIn(key: SessionRecord["key"]): string {
  return key.slice(key.indexOf(":") + 1, key.lastIndexOf("@"));
}
