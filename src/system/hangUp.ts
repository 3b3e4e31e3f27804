import { readFile } from "node:fs/promises";
import { unlessAbsent } from "./procFiles.ts";

/** Whether it was started to go on when its terminal is gone (nohup). False where the system does not tell. */
export async function ignoresHangUp(pid: number): Promise<boolean> {
  const status = (await unlessAbsent(readFile(`/proc/${pid}/status`, "latin1"))) ?? "";
  // proc_pid_status(5): a mask of signals, the first of which is SIGHUP.
  const [, ignored = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return Number.parseInt(ignored.slice(-1), 16) % 2 === 1;
}
