import { realpath, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { ProcessEntry } from "../../core/census.ts";
import { listIfPresent } from "../files.ts";

/** The sockets of all tmux servers of this user: those of the settings, of the usual folders, and those that a running tmux was started with. */
export async function findSockets(
  named: readonly string[],
  processes: Iterable<ProcessEntry>,
  environmentOf: (process: ProcessEntry) => Promise<ReadonlyMap<string, string>>,
): Promise<readonly string[]> {
  const uid = process.getuid?.() ?? 0;
  const folders = new Set(
    [process.env["TMUX_TMPDIR"], "/tmp"].filter((folder) => folder !== undefined && folder !== "").map((folder) => join(folder ?? "", `tmux-${uid}`)),
  );
  const inFolders = await Promise.all([...folders].map(async (folder) => (await listIfPresent(folder)).map((name) => join(folder, name))));
  const ours = [...processes].filter((entry) => entry.uid === uid && basename(entry.program?.file ?? "") === "tmux");
  const ofServers = await Promise.all(ours.map(async (entry) => socketOf(entry, await environmentOf(entry), uid)));
  const [current] = (process.env["TMUX"] ?? "").split(",");

  const found = await Promise.all([...named, ...inFolders.flat(), ...ofServers, current].map(realSocket));
  return [...new Set(found.flatMap((socket) => socket ?? []))].sort();
}

/** What `-S` said, else `-L`, each time the last one; a server keeps the command line of the client that started it. */
function socketOf({ argv }: ProcessEntry, environment: ReadonlyMap<string, string>, uid: number): string | undefined {
  let path: string | undefined;
  let name: string | undefined;
  for (let index = 1; argv[index]?.startsWith("-"); index++) {
    const [, option = "", attached = ""] = /^-[^cfLST]*([cfLST]?)(.*)$/.exec(argv[index] ?? "") ?? [];
    if (option === "") continue;
    const value = attached === "" ? argv[++index] : attached;
    if (option === "S") path = value;
    if (option === "L") name = value;
  }
  // Without either a client goes to the server that it was started in, and else to the default one of its own folder.
  if (path === undefined && name === undefined) path = environment.get("TMUX")?.split(",")[0] || undefined;
  if (path !== undefined) return resolve(environment.get("PWD") ?? "/", path);
  return join(environment.get("TMUX_TMPDIR") || "/tmp", `tmux-${uid}`, name ?? "default");
}

async function realSocket(path: string | undefined): Promise<string | undefined> {
  if (!path) return undefined;
  const kind = await stat(path).catch(() => undefined);
  return kind?.isSocket() ? realpath(path).catch(() => undefined) : undefined;
}
