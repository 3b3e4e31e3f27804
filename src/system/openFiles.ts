import { readFile, readdir, stat } from "node:fs/promises";
import { unlessAbsent } from "./procFiles.ts";

/**
 * Which of these processes have a file open to write to it: by its inode, so that neither a link on the way there nor a namespace of theirs hides it. None
 * where the system does not tell (macOS), or of processes of others. proc(5), fdinfo: `flags` in octal, of which the last digit is how it was opened.
 */
export async function writersOf(path: string, pids: readonly number[]): Promise<ReadonlySet<number>> {
  const file = process.platform === "linux" ? await stat(path).catch(() => undefined) : undefined;
  if (!file) return new Set();
  const found = await Promise.all(pids.map(async (pid) => ((await hasOpen(pid, file)) ? [pid] : [])));
  return new Set(found.flat());
}

async function hasOpen(pid: number, file: { readonly ino: number; readonly dev: number }): Promise<boolean> {
  const descriptors = (await unlessAbsent(readdir(`/proc/${pid}/fd`)).catch(() => undefined)) ?? [];
  for (const descriptor of descriptors) {
    const opened = await stat(`/proc/${pid}/fd/${descriptor}`).catch(() => undefined);
    if (opened?.ino !== file.ino || opened.dev !== file.dev) continue;
    const told = await readFile(`/proc/${pid}/fdinfo/${descriptor}`, "latin1").catch(() => "");
    if (/^flags:\s*\d*[12]$/m.test(told)) return true;
  }
  return false;
}
