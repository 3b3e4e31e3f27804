import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

/** What a process has open, by /proc; undefined where this can't be told: on macOS, and of another user's process. */
export async function findOpenFiles(pid: number): Promise<readonly string[] | undefined> {
  const folder = `/proc/${pid}/fd`;
  const fds = await readdir(folder).catch(() => undefined);
  return fds && Promise.all(fds.map((fd) => readlink(join(folder, fd)).catch(() => "")));
}
