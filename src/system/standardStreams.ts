import { lstat, readFile, readdir, readlink } from "node:fs/promises";
import { unlessAbsent } from "./procFiles.ts";

/** One end of a pipe that a process has open. */
interface End {
  readonly pid: number;
  readonly pipe: string;
  readonly canRead: boolean;
  readonly canWrite: boolean;
}

/** Whether another of these processes than its own writes to the standard input of one, or reads its output: a client as good as one that is connected. */
export type IsUsedByPipe = (pid: number, own: ReadonlySet<number>) => Promise<boolean>;

/** All of them are looked through once, when it is first asked about one that has a pipe there. */
export function standardStreamsAmong(pids: readonly number[]): IsUsedByPipe {
  let ends: Promise<readonly End[]> | undefined;
  return async (root, own) => {
    const [input, output] = await Promise.all(["0", "1"].map((descriptor) => unlessAbsent(readlink(`/proc/${root}/fd/${descriptor}`))));
    if (await hasPeer(root, [input, output])) return true;
    if (!isPipe(input) && !isPipe(output)) return false;
    ends ??= endsOf(pids);
    return (await ends).some(({ pid, pipe, canRead, canWrite }) => !own.has(pid) && ((pipe === input && canWrite) || (pipe === output && canRead)));
  };
}

function isPipe(link: string | undefined): link is string {
  return link?.startsWith("pipe:") ?? false;
}

/** A few at a time: each holds descriptors. */
async function endsOf(pids: readonly number[]): Promise<readonly End[]> {
  const ends: End[] = [];
  const waiting = pids.values();
  const readOneByOne = async (): Promise<void> => {
    for (const pid of waiting) {
      const descriptors = (await unlessAbsent(readdir(`/proc/${pid}/fd`))) ?? [];
      const found = await Promise.all(descriptors.map((descriptor) => endAt(pid, descriptor)));
      ends.push(...found.flatMap((end) => end ?? []));
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, readOneByOne));
  return ends;
}
const readAtOnce = 16;

/** proc_pid_fd(5): the link's own permissions tell how it was opened. */
async function endAt(pid: number, descriptor: string): Promise<End | undefined> {
  const path = `/proc/${pid}/fd/${descriptor}`;
  const pipe = await unlessAbsent(readlink(path));
  const mode = isPipe(pipe) ? (await unlessAbsent(lstat(path)))?.mode : undefined;
  return pipe === undefined || mode === undefined ? undefined : { pid, pipe, canRead: (mode & 0o400) !== 0, canWrite: (mode & 0o200) !== 0 };
}

/** Node and Bun give their children pairs of sockets. */
async function hasPeer(pid: number, links: readonly (string | undefined)[]): Promise<boolean> {
  const inodes = links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link ?? "")?.[1] ?? []);
  return inodes.length > 0 && isPaired((await unlessAbsent(readFile(`/proc/${pid}/net/unix`, "latin1"))) ?? "", inodes);
}

/** proc(5), /proc/net/unix: `Num RefCount Protocol Flags Type St Inode Path`. A socket counts two for itself, and one for the other of its pair while that is open. */
export function isPaired(table: string, inodes: readonly string[]): boolean {
  return table.split("\n").some((line) => {
    const [, count = "", , , , state, inode = "", path] = line.trim().split(/\s+/);
    return inodes.includes(inode) && path === undefined && state === "03" && Number.parseInt(count, 16) > 2;
  });
}
