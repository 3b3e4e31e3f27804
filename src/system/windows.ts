import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Census } from "../core/census.ts";
import type { OtherWindow } from "../core/destinations.ts";
import { listIfPresent, makePrivateFolder, readIfPresent, replaceFile } from "./files.ts";

/** One file a window, named by its host and process (a home may be shared by several hosts), so that a window that died without a word is told from one that lives. */
export async function announceWindow(stateFolder: string, name: string, terminals: readonly number[]): Promise<void> {
  await makePrivateFolder(folderIn(stateFolder));
  await replaceFile(join(folderIn(stateFolder), nameOf(process.pid)), JSON.stringify({ name, terminals, at: Date.now() }));
}

/** The other windows of this user on this machine; what a dead one left behind is removed. */
export async function otherWindows(stateFolder: string, { processes }: Pick<Census, "processes">): Promise<readonly OtherWindow[]> {
  const names = (await listIfPresent(folderIn(stateFolder))).filter((name) => pidIn(name) !== undefined && name !== nameOf(process.pid));
  const windows = names.map(async (name): Promise<readonly OtherWindow[]> => {
    const path = join(folderIn(stateFolder), name);
    const announced = parse(await readIfPresent(path, 100_000));
    const entry = processes?.get(pidIn(name) ?? 0);
    // Announced by a process that began later than the file was written: the pid is somebody else's by now.
    const isAlive = entry !== undefined && announced !== undefined && (entry.startedAt ?? 0) <= announced.at + clockGrainMs;
    if (processes && !isAlive) await rm(path, { force: true });
    return isAlive ? [announced] : [];
  });
  return (await Promise.all(windows)).flat();
}
const clockGrainMs = 2_000;

function nameOf(pid: number): string {
  return `${hostname()}-${pid}.json`;
}

/** Undefined where it is another host's. */
function pidIn(name: string): number | undefined {
  const pid = name.startsWith(`${hostname()}-`) ? /^(\d+)\.json$/.exec(name.slice(hostname().length + 1))?.[1] : undefined;
  return pid === undefined ? undefined : Number(pid);
}

function folderIn(stateFolder: string): string {
  return join(stateFolder, "windows");
}

function parse(text: string | undefined): (OtherWindow & { readonly at: number }) | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (typeof value !== "object" || value === null || !("name" in value) || !("terminals" in value) || !("at" in value)) return undefined;
    const { name, terminals, at } = value;
    const isWindow = typeof name === "string" && typeof at === "number" && Array.isArray(terminals);
    return isWindow ? { name, at, terminals: terminals.filter((pid) => typeof pid === "number") } : undefined;
  } catch {
    return undefined;
  }
}
