import { readFile, readdir, readlink, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { unlessAbsent } from "./procFiles.ts";

/** Whether another process that we may look into has this file open to append to it, by /proc. Where that can't be told, nobody has. */
export async function isHeldByAppender(file: FileHandle): Promise<boolean> {
  const { dev, ino } = await file.stat({ bigint: true });
  const own = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
  if (own === undefined) return false;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const pid of pids) for (const fd of await fdsOn(pid, own)) if (await isAppending(pid, fd, { dev, ino })) return true;
  return false;
}

/** By name first: a stat of each would reach files on disks and servers that are none of our business. */
async function fdsOn(pid: string, name: string): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const fds = (await unlessAbsent(readdir(folder))) ?? [];
  const names = await Promise.all(fds.map((fd) => unlessAbsent(readlink(`${folder}/${fd}`))));
  return fds.filter((_, index) => names[index] === name);
}

async function isAppending(pid: string, fd: string, { dev, ino }: { readonly dev: bigint; readonly ino: bigint }): Promise<boolean> {
  const found = await unlessAbsent(stat(`/proc/${pid}/fd/${fd}`, { bigint: true }));
  if (found?.dev !== dev || found.ino !== ino) return false;
  const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec((await unlessAbsent(readFile(`/proc/${pid}/fdinfo/${fd}`, "utf8"))) ?? "") ?? [];
  // Who only waits for our lock on it has it open as well, and won't write.
  return (Number.parseInt(flags, 8) & appendFlag) !== 0;
}
/** O_APPEND, as Linux has it wherever Node runs. */
const appendFlag = 0o2000;
