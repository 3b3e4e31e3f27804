import { globSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allProcesses, environmentOf, folderOf, identityOf, isAlive, signal } from "./processes.ts";
import type { ProcessIdentity } from "./processes.ts";
import { until } from "./until.ts";

const start = "warden-lab-";
const ownerFile = "owner.json";
interface Owner extends ProcessIdentity {
  readonly pidNamespace: string;
}

/** Makes a lab's folder, and first ends and removes what a run that was killed has left of its own. */
export async function makeLabFolder(): Promise<string> {
  for (const root of globSync(join(tmpdir(), `${start}*`))) if (isAbandoned(root)) await removeLabFolder(root);
  const root = mkdtempSync(join(tmpdir(), start));
  writeFileSync(join(root, ownerFile), JSON.stringify({ ...identityOf(process.pid), pidNamespace: pidNamespace() } satisfies Owner));
  return root;
}

export function homeOf(root: string): string {
  return join(root, "home");
}

/** HOME and the working folder lie in a folder that only this lab has: no process of anybody else matches. */
export function processesOf(root: string): readonly ProcessIdentity[] {
  return allProcesses().filter(({ pid, state }) => state !== "Z" && (environmentOf(pid)["HOME"] === homeOf(root) || folderOf(pid).startsWith(`${root}/`)));
}

export async function removeLabFolder(root: string): Promise<void> {
  await until(
    () => {
      const living = processesOf(root);
      for (const identity of living) signal(identity, "SIGKILL");
      return living.length === 0;
    },
    10_000,
    () =>
      `Of ${root} still alive: ${processesOf(root)
        .map(({ pid }) => pid)
        .join(", ")}`,
  );
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function isAbandoned(root: string): boolean {
  try {
    const owner = JSON.parse(readFileSync(join(root, ownerFile), "utf8")) as Owner;
    // A run in another pid namespace counts its processes differently: nothing can be said of it from here.
    return owner.pidNamespace === pidNamespace() && !isAlive(owner);
  } catch {
    // Another run has only just made it, or is removing it.
    return false;
  }
}

function pidNamespace(): string {
  return readlinkSync("/proc/self/ns/pid");
}
