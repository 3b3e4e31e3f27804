import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Unreachable } from "../../core/notice.ts";
import { findStats } from "../../system/ownFile.ts";
import { run } from "../../system/run.ts";

export interface Repositories {
  /** The common git directories, by their real paths. */
  readonly commons: readonly string[];
  readonly unreachable: readonly Unreachable[];
}

/** The repositories that some folders lie in: all worktrees of one are one, a submodule is another. What is in none, or gone, is nothing. */
export function openRepositories(folders: readonly string[]): { find(signal: AbortSignal): Promise<Repositories> } {
  const known = new Map<string, { readonly entry: string; readonly told: Told }>();

  return {
    async find(signal) {
      const told = await Promise.all([...new Set(folders)].map((folder) => repositoryOf(resolve(folder), signal)));
      return {
        commons: [...new Set(told.flatMap((each) => (each.kind === "repository" ? [each.common] : [])))].sort(),
        unreachable: told.flatMap((each) => (each.kind === "unreachable" ? [{ place: each.place, reason: each.reason }] : [])),
      };
    },
  };

  /** Git is asked once for each folder, as long as the nearest `.git` above it is the same. */
  async function repositoryOf(folder: string, signal: AbortSignal): Promise<Told> {
    const real = await findFolder(folder);
    if (real === undefined) return { kind: "none" };
    const entry = await gitEntryOf(real);
    const before = known.get(folder);
    if (before?.entry === entry) return before.told;
    const told = await askGit(real, signal);
    if (told.kind !== "unreachable") known.set(folder, { entry, told });
    // What was last found there is silent then, and not gone.
    else if (before?.told.kind === "repository") return { ...told, place: before.told.common };
    return told;
  }
}

type Told = { readonly kind: "repository"; readonly common: string } | { readonly kind: "none" } | ({ readonly kind: "unreachable" } & Unreachable);

/** Of a repository, in a key: two may know one id, as where an agent works in a repository and in its submodule. */
export function markOf(common: string): string {
  return createHash("sha256").update(common).digest("hex").slice(0, 6);
}

async function askGit(folder: string, signal: AbortSignal): Promise<Told> {
  const outcome = await run(["git", "rev-parse", "--git-common-dir"], { withinMs: answersWithinMs, signal, cwd: folder, env: gitEnvironment });
  switch (outcome.kind) {
    case "missing":
      return { kind: "unreachable", place: folder, reason: "git is not on PATH" };
    case "timedOut":
      return { kind: "unreachable", place: folder, reason: "git gave no answer" };
    case "exited": {
      const told = outcome.stdout.replace(/\n$/, "");
      if (outcome.code === 0 && told !== "") return await realCommon(resolve(folder, told));
      if (/not a git repository|must be run in a work tree/.test(outcome.stderr)) return { kind: "none" };
      return { kind: "unreachable", place: folder, reason: outcome.stderr.split("\n")[0]?.replace(/^fatal: /, "") || `git ended with ${outcome.code}` };
    }
  }
}
const answersWithinMs = 5_000;
/** What a hook or a task runs in may point git at a repository of its own; and its words are read here. */
export const gitEnvironment = {
  GIT_OPTIONAL_LOCKS: "0",
  LC_ALL: "C",
  GIT_DIR: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_PREFIX: undefined,
};

async function realCommon(path: string): Promise<Told> {
  try {
    return { kind: "repository", common: await realpath(path) };
  } catch {
    // Removed between the two looks.
    return { kind: "none" };
  }
}

/** The nearest `.git`, a folder or a worktree's file; what lies in it changes all the time, itself only with another repository. */
async function gitEntryOf(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await findStats(join(at, ".git"));
    if (found) return [at, found.dev, found.ino, ...(found.isDirectory() ? [] : [found.size, found.mtimeNs])].join(" ");
    if (at === dirname(at)) return "none";
  }
}

async function findFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    // Gone, or hidden from us: all the same to whoever looks for what lies in it.
    return undefined;
  }
}
