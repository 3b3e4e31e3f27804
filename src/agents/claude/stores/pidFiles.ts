import { basename, join } from "node:path";
import type { Census } from "../../../core/census.ts";
import type { Store } from "../../../core/store.ts";
import { blocked } from "../../../system/erase/confined.ts";
import { storesAt } from "../../../system/erase/files.ts";
import { listIfPresent, readIfPresent } from "../../../system/files.ts";
import { openLinuxProcesses } from "../../../system/linuxProcesses.ts";
import { openMacProcesses } from "../../../system/macProcesses.ts";
import { readPidFile, readMachineId } from "../liveSessions.ts";

/** What a process that was killed has left in the list of those that live. A living one's is never taken from it. */
export async function findPidFiles(home: string, id: string, signal: AbortSignal): Promise<readonly Store[]> {
  const names = await listIfPresent(join(home, "sessions"));
  const stores: Store[] = [];
  for (const pid of names.flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])) {
    const path = join(home, "sessions", `${pid}.json`);
    if ((await lookAt(path, id, signal)) === "others") continue;
    const keys = names.filter((name) => new RegExp(`^${pid}\\.[0-9a-f]+\\.key$`).test(name)).map((name) => join(home, "sessions", name));
    for (const each of [...keys, path]) {
      const found = await storesAt({
        root: home,
        path: each,
        name: "its mark as a living session",
        belongsBecause: `${basename(path)} names the conversation's id`,
      });
      stores.push(...found.map((store) => unlessAlive(store, path, id)));
    }
  }
  return stores;
}

/** Looked at again right before: the pid may be another session's by now. The keys go first, since only the other file tells whose they are. */
function unlessAlive(store: Store, path: string, id: string): Store {
  return {
    ...store,
    async erase(signal) {
      const now = await lookAt(path, id, signal);
      if (now === "others") return { kind: "absent" };
      return now === "dead" ? store.erase(signal) : blocked("the process that it names lives, or that can't be known");
    },
  };
}

async function lookAt(path: string, id: string, signal: AbortSignal): Promise<"dead" | "living" | "others"> {
  if (!(await readIfPresent(path, 64 * 1024))?.includes(id)) return "others";
  const told = await readPidFile(path, await censusOf(Number(basename(path, ".json")), signal), await readMachineId());
  if (told?.row.sessionId !== id) return "others";
  return told.liveness.value === "gone" ? "dead" : "living";
}

async function censusOf(pid: number, signal: AbortSignal): Promise<Census> {
  signal.throwIfAborted();
  const table = process.platform === "darwin" ? await openMacProcesses() : await openLinuxProcesses();
  return { at: Date.now(), here: table.here, processes: await table.readThese([pid]), panes: [], unreachable: [] };
}
