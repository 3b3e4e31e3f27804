import { readFile, readdir } from "node:fs/promises";
import type { ProcessIdentity } from "../core/process.ts";
import { unlessAbsent } from "./procFiles.ts";

/** The inodes that a process of this user watches by inotify, as decimal numbers; none where the system does not tell. proc(5), fdinfo: `inotify wd:1 ino:2320ea sdev:…`, in hexadecimal. */
export async function inodesWatchedBy({ pid }: Pick<ProcessIdentity, "pid">): Promise<ReadonlySet<string>> {
  if (process.platform !== "linux") return new Set();
  const descriptors = (await unlessAbsent(readdir(`/proc/${pid}/fdinfo`))) ?? [];
  const texts = await Promise.all(descriptors.map((descriptor) => unlessAbsent(readFile(`/proc/${pid}/fdinfo/${descriptor}`, "latin1"))));
  const lines = texts.flatMap((text) => (text ?? "").split("\n"));
  return new Set(lines.flatMap((line) => /^inotify wd:\S+ ino:([0-9a-f]+) /.exec(line)?.[1] ?? []).map((hex) => BigInt(`0x${hex}`).toString()));
}
