import { readFile, readdir, readlink } from "node:fs/promises";
import { isIPv6 } from "node:net";
import type { ProcessIdentity } from "../core/process.ts";
import { unlessAbsent } from "./procFiles.ts";
import { run } from "./run.ts";

/** A TCP port that a process listens on, and the address that leads there from here. */
export interface ListeningPort {
  readonly host: string;
  readonly port: number;
}

/** Of a process of this user; empty where it listens on none, or may not be looked at. On macOS that is a program to be run, so it is asked seldom. */
export function listeningPortsOf({ pid }: Pick<ProcessIdentity, "pid">, signal: AbortSignal): Promise<readonly ListeningPort[]> {
  return process.platform === "darwin" ? portsByLsof(pid, signal) : portsInProc(pid);
}

/** Its sockets are links of its descriptors; the tables of its network namespace tell which of them listen. */
async function portsInProc(pid: number): Promise<readonly ListeningPort[]> {
  const descriptors = (await unlessAbsent(readdir(`/proc/${pid}/fd`))) ?? [];
  const links = await Promise.all(descriptors.map((descriptor) => unlessAbsent(readlink(`/proc/${pid}/fd/${descriptor}`))));
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link ?? "")?.[1] ?? []));
  if (inodes.size === 0) return [];
  const tables = await Promise.all(["tcp", "tcp6"].map((table) => unlessAbsent(readFile(`/proc/${pid}/net/${table}`, "utf8"))));
  return distinct(tables.flatMap((table) => listenersIn(table ?? "", inodes)));
}

/** proc(5), /proc/net/tcp: `sl local_address rem_address st … inode`; state 0A is LISTEN, addresses are words in the machine's byte order. */
export function listenersIn(table: string, inodes: ReadonlySet<string>): readonly ListeningPort[] {
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    const [address = "", port = ""] = local.split(":");
    return state === "0A" && inodes.has(inode) ? [{ host: reachable(addressOf(address)), port: Number.parseInt(port, 16) }] : [];
  });
}

function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)));
  if (bytes.length === 4) return bytes.join(".");
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) return bytes.slice(12).join(".");
  const groups = Array.from({ length: 8 }, (_each, nth) => (((bytes[2 * nth] ?? 0) << 8) | (bytes[2 * nth + 1] ?? 0)).toString(16));
  return groups.every((group) => group === "0") ? "::" : groups.join(":").replace(/^(0:){7}/, "::");
}

async function portsByLsof(pid: number, signal: AbortSignal): Promise<readonly ListeningPort[]> {
  const told = await run(["lsof", "-nP", "-a", "-p", String(pid), "-iTCP", "-sTCP:LISTEN", "-Fn"], { withinMs: 5_000, signal });
  return told.kind === "exited" ? listenersOfLsof(told.stdout) : [];
}

/** `lsof -Fn`: a line each, `n127.0.0.1:4096`, `n[::1]:4096` or `n*:4096`. */
export function listenersOfLsof(stdout: string): readonly ListeningPort[] {
  return distinct(
    stdout.split("\n").flatMap((line) => {
      const [, address = "", port] = /^n(.*):(\d+)$/.exec(line) ?? [];
      return port === undefined ? [] : [{ host: reachable(address.replace(/^\[(.*)\]$/, "$1")), port: Number(port) }];
    }),
  );
}

/** Whoever listens on all addresses listens on the loopback. */
function reachable(address: string): string {
  return address === "*" || address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
}

function distinct(ports: readonly ListeningPort[]): readonly ListeningPort[] {
  return [...new Map(ports.map((each) => [`${each.host} ${each.port}`, each])).values()];
}

export function originOf({ host, port }: ListeningPort): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
