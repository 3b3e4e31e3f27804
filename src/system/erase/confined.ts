import type { BigIntStats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, sep } from "node:path";
import { isOwn } from "../ownFile.ts";

/** Where something is to be deleted, and the folder that it must not be outside of. */
export interface Confined {
  readonly root: string;
  readonly path: string;
}

/** What an own, confined thing is; `absent`: nothing is there. A link is told as itself, and never followed. */
export type Target =
  | { readonly kind: "file"; readonly names: number }
  | { readonly kind: "folder" | "link" | "absent" }
  | { readonly kind: "blocked"; readonly reason: string };

/** What may be deleted: a file or folder of this user's that lies, every link on the way to it resolved, below the real root. */
export async function lookAt({ root, path }: Confined): Promise<Target> {
  const found = await lookFor(path);
  if (found === "absent") return { kind: "absent" };
  if ("reason" in found) return found;
  if (!(await isBelow(root, path))) return blocked(`it does not lie in ${root} itself`);
  if (!isOwn(found)) return blocked("it belongs to another user");
  if (found.isSymbolicLink()) return { kind: "link" };
  if (found.isDirectory()) return { kind: "folder" };
  return found.isFile() ? { kind: "file", names: Number(found.nlink) } : blocked("it is neither a file nor a folder");
}

/** The same where only a file is meant: anything else there is a reason. */
export async function lookForFile(confined: Confined): Promise<Extract<Target, { kind: "file" | "blocked" }> | { readonly kind: "none" }> {
  const target = await lookAt(confined);
  switch (target.kind) {
    case "absent":
      return { kind: "none" };
    case "link":
      return blocked("it is a symbolic link");
    case "folder":
      return blocked("it is a folder");
    case "file":
    case "blocked":
      return target;
  }
}

/** Whether it is in the root's own tree, whatever it is: links on the way there, and a root that is one, are resolved. */
export async function isBelow(root: string, path: string): Promise<boolean> {
  const name = basename(path);
  if (!isAbsolute(path) || name === "" || name === "." || name === "..") return false;
  const [realRoot, realFolder] = await Promise.all([realOf(root), realOf(dirname(path))]);
  if (realRoot === undefined || realFolder === undefined) return false;
  const way = relative(realRoot, realFolder);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** What is there, and is not deleted however long one waits: a link, another user's, or outside of the root. */
export async function isOutOfReach({ root, path }: Confined): Promise<boolean> {
  const found = await lookFor(path);
  if (found === "absent" || "reason" in found) return false;
  return found.isSymbolicLink() || !isOwn(found) || !(await isBelow(root, path));
}

/** A clause for whatever the system said when something could not be read or changed; undefined: that is a fault of ours. */
export function whyNotChanged(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  switch (error.code) {
    case "EACCES":
    case "EPERM":
      return "it may not be changed";
    case "EROFS":
      return "its disk can only be read";
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full";
    case "EBUSY":
    case "ETXTBSY":
      return "it is in use";
    case "ENOTEMPTY":
    case "EEXIST":
      return "something was put into it meanwhile";
    case "EIO":
      return "its disk fails";
    case "ELOOP":
    case "ENOTDIR":
      return "it was replaced meanwhile";
    case "ENAMETOOLONG":
      return "a path in it is too long";
    default:
      return "syscall" in error ? `the system says ${String(error.code)}` : undefined;
  }
}

/** Nothing is there, or no longer. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

export function blocked(reason: string): { readonly kind: "blocked"; readonly reason: string } {
  return { kind: "blocked", reason };
}

/** What can't be looked for is not proved to be absent. */
async function lookFor(path: string): Promise<BigIntStats | "absent" | ReturnType<typeof blocked>> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    switch (code) {
      case "ENOENT":
      case "ENOTDIR":
        return "absent";
      case "EACCES":
        return blocked("its folder may not be read");
      case "ELOOP":
        return blocked("the links on the way to it lead in a circle");
      default: {
        const reason = whyNotChanged(error);
        if (reason === undefined) throw error;
        return blocked(reason);
      }
    }
  }
}

async function realOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
