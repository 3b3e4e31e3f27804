import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { findOpenFiles } from "../openFiles.ts";

/** Why nothing may be deleted: a window has the lock of one of these sub-agents open. A server has it too, and lets go of it when it is asked. */
export async function whyOpen(home: string, members: readonly string[]): Promise<string | undefined> {
  if (members.length === 0) return undefined;
  const folder = join(await realpath(home).catch(() => home), "thread-writer-locks");
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const files = (await findOpenFiles(Number(pid))) ?? [];
    const open = members.find((id) => files.includes(join(folder, `${id}.lock`)));
    if (open === undefined || (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0").includes("app-server")) continue;
    return `its sub-agent ${open} is open in process ${pid}`;
  }
  return undefined;
}
