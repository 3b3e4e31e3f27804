import { readFile, readdir, readlink } from "node:fs/promises";
import { homedir } from "node:os";
import type { Trace } from "../core/orphanProtection.ts";
import { unlessAbsent } from "./procFiles.ts";

/** Whether somebody outside these processes is connected to what they listen on, by TCP or a Unix socket. */
export async function clientsOf(pids: readonly number[]): Promise<Trace["clients"]> {
  const [first] = pids;
  if (process.platform !== "linux" || first === undefined) return "unknown";
  const [ofFirst, ...ofOthers] = await Promise.all(pids.map(socketsOf));
  // What runs below it may be short-lived, and is nobody's when it has ended.
  const sockets = [ofFirst === "gone" ? undefined : ofFirst, ...ofOthers.map((each) => (each === "gone" ? [] : each))];
  if (sockets.some((each) => each === undefined)) return "unknown";
  const own = new Set(sockets.flatMap((each) => each ?? []));
  if (own.size === 0) return "none";
  // Of their own network namespace.
  const [tcp, tcp6, unix] = await Promise.all(["tcp", "tcp6", "unix"].map((table) => unlessAbsent(readFile(`/proc/${first}/net/${table}`, "latin1"))));
  if (tcp === undefined || unix === undefined) return "unknown";
  return hasTcpClient(`${tcp}\n${tcp6 ?? ""}`, own) || hasUnixClient(unix, own) ? "some" : "none";
}

/** Where one of these processes listens by a Unix socket among what belongs to the user and to no project. */
export async function waitsAt(pids: readonly number[]): Promise<string | undefined> {
  const [first] = pids;
  const sockets = await Promise.all(pids.map(socketsOf));
  const own = new Set(sockets.flatMap((each) => (each === undefined || each === "gone" ? [] : each)));
  if (first === undefined || own.size === 0) return undefined;
  return waitingPlace((await unlessAbsent(readFile(`/proc/${first}/net/unix`, "latin1"))) ?? "", own, homedir());
}

/** Undefined where it may not be looked at. */
async function socketsOf(pid: number): Promise<readonly string[] | "gone" | undefined> {
  const descriptors = await unlessAbsent(readdir(`/proc/${pid}/fd`));
  if (!descriptors) return (await isGone(pid)) ? "gone" : undefined;
  const links = await Promise.all(descriptors.map((descriptor) => unlessAbsent(readlink(`/proc/${pid}/fd/${descriptor}`))));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link ?? "")?.[1] ?? []);
}

async function isGone(pid: number): Promise<boolean> {
  const stat = await unlessAbsent(readFile(`/proc/${pid}/stat`, "latin1"));
  return stat === undefined || /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** proc(5), /proc/net/tcp: state 0A is LISTEN, 01 ESTABLISHED. One that was not accepted yet has no inode. A connection of theirs with themselves is nobody's. */
export function hasTcpClient(table: string, own: ReadonlySet<string>): boolean {
  const rows = table.split("\n").flatMap((line) => {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
    return local !== undefined && remote !== undefined && inode !== undefined ? [{ local: portOf(local), remote: portOf(remote), state, inode }] : [];
  });
  const ports = new Set(rows.filter(({ state, inode }) => state === "0A" && own.has(inode)).map(({ local }) => local));
  const open = rows.filter(({ state }) => state === "01");
  return open.some(({ local, remote }) => {
    const client = open.find((other) => other.local === remote && other.remote === local);
    return ports.has(local) && !(client && own.has(client.inode));
  });
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(":") + 1);
}

/** proc(5), /proc/net/unix: `Num RefCount Protocol Flags Type St Inode Path`; flag 00010000 is a listener, state 03 connected. What a listener accepts has its path. */
export function hasUnixClient(table: string, own: ReadonlySet<string>): boolean {
  const rows = unixRows(table);
  const paths = new Set(rows.filter(({ isListener, inode }) => isListener && own.has(inode)).map(({ path }) => path));
  return rows.some(({ isListener, state, inode, path }) => !isListener && state === "03" && own.has(inode) && paths.has(path));
}

/** A hidden folder of the home, and that of a login, are where programs wait that others may use; a project's own are its own. */
export function waitingPlace(table: string, own: ReadonlySet<string>, home: string): string | undefined {
  const paths = unixRows(table).flatMap(({ isListener, inode, path }) => (isListener && own.has(inode) ? [path] : []));
  const found = paths.find((path) => path.startsWith(`${home}/.`) || /^\/(var\/)?run\//.test(path));
  return found?.startsWith(`${home}/`) ? `~${found.slice(home.length)}` : found;
}

function unixRows(table: string) {
  return table.split("\n").flatMap((line) => {
    const [, flags, state, inode, path = ""] = /^\S+ \S+ \S+ (\S+) \S+ (\S+)\s+(\d+) (.+)$/.exec(line.trim()) ?? [];
    return inode === undefined ? [] : [{ isListener: flags === "00010000", state, inode, path }];
  });
}
