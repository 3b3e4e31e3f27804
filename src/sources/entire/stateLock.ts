import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { withFileLock } from "../../system/fileLock.ts";
import { lockFolderName, lookAtFolder, stateFolderName } from "./stateFolder.ts";

export type UnderLock<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "busy" }
  /** Nothing may be done there, or the system refused. */
  | { readonly kind: "failed"; readonly reason: string };

/** With the lock that the program itself takes for one session; whoever else holds it for longer is not waited for. Never where no lock is sure. */
export async function withStateLock<T>(common: string, id: string, use: () => Promise<T>): Promise<UnderLock<T>> {
  for (const name of [stateFolderName, lockFolderName]) {
    const folder = await lookAtFolder(join(common, name));
    if (folder.kind === "unreachable") return { kind: "failed", reason: folder.reason };
  }
  if (await isRemote(common)) return { kind: "failed", reason: "its repository is on another machine's disk, where no lock is sure" };

  let isHeld = false;
  const held = (): Promise<T> => {
    isHeld = true;
    return use();
  };
  try {
    return await withFileLock(lockPathOf(common, id), lockWithinMs, held, { folderMode: 0o750 });
  } catch (error) {
    const isSystems = error instanceof Error && "code" in error;
    if (isHeld && !isSystems) throw error;
    return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}
const lockWithinMs = 2_000;

export function lockPathOf(common: string, id: string): string {
  return join(common, lockFolderName, `${id}.lock`);
}

/** Over a network a lock excludes some of those who would be excluded here, or nobody. */
async function isRemote(path: string): Promise<boolean> {
  return process.platform === "linux" && remoteKinds.has((await statfs(path)).type);
}
/** NFS, CIFS, SMB, SMB 2. */
const remoteKinds = new Set([0x6969, 0xff534d42, 0x517b, 0xfe534d42]);
