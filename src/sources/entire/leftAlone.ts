import { dirname, join } from "node:path";
import type { LeftAlone } from "../../core/store.ts";
import { countOf } from "../../system/erase/rows.ts";
import { listIfPresent } from "../../system/files.ts";
import { findStats } from "../../system/ownFile.ts";
import { run } from "../../system/run.ts";
import { gitEnvironment } from "./repositories.ts";
import { parseState } from "./state.ts";
import { readStateText } from "./stateFile.ts";
import { stateFolderName } from "./stateFolder.ts";
import { lockPathOf } from "./stateLock.ts";

/** What Entire has of a session beside its state: in the worktree and in the repository's own history, of which nothing is deleted. Only what is there. */
export async function leftIn(common: string, id: string, signal: AbortSignal): Promise<readonly LeftAlone[]> {
  const text = await readStateText(join(common, stateFolderName, `${id}.json`));
  const state = text.kind === "text" ? parseState(text.text, id) : undefined;
  const worktrees = [...new Set([dirname(common), ...(state?.cwd === undefined ? [] : [state.cwd])])];
  const inWorktrees = await Promise.all(worktrees.map((worktree) => leftInWorktree(worktree, id)));
  return [
    ...inWorktrees.flat(),
    ...(await leftInHistory(common, id, signal)),
    {
      name: "Entire's lock of it",
      path: lockPathOf(common, id),
      why: "it is empty, is taken for the deletion too, and without it two programs could hold it at once",
      holds: "id",
    },
  ];
}

async function leftInWorktree(worktree: string, id: string): Promise<readonly LeftAlone[]> {
  const copy = join(worktree, ".entire/metadata", id);
  const logs = join(worktree, ".entire/logs");
  const naming = await Promise.all((await listIfPresent(logs)).map(async (name) => ((await countOf(id, [join(logs, name)])) > 0 ? [join(logs, name)] : [])));
  return [
    ...((await findStats(copy))
      ? [{ name: "Entire's copy of its transcript", path: copy, why: "nothing in a worktree is deleted", holds: "text" } as const]
      : []),
    ...naming.flat().map((path) => ({ name: "Entire's log", path, why: "it tells of other sessions too", holds: "id" }) as const),
  ];
}

async function leftInHistory(common: string, id: string, signal: AbortSignal): Promise<readonly LeftAlone[]> {
  const name = "Entire's checkpoints";
  const left = (why: string): readonly LeftAlone[] => [{ name, path: common, why, holds: "text" }];
  const listed = await git(common, ["for-each-ref", "--format=%(refname)", "refs/heads/entire", "refs/entire", "refs/remotes/*/entire"], signal);
  if (listed.kind === "unknown") return left(`git could not be asked whether they hold it: ${listed.why}`);
  const refs = listed.text.split("\n").filter(Boolean);
  const naming = new Set<string>();
  for (let from = 0; from < refs.length; from += refsAtOnce) {
    const some = refs.slice(from, from + refsAtOnce);
    const found = await git(common, ["grep", "-F", "-l", "--full-name", "--no-color", "--no-recurse-submodules", "-e", id, ...some, "--"], signal);
    if (found.kind === "unknown") return left(`git could not be asked whether they hold it: ${found.why}`);
    for (const ref of some) if (found.text.includes(`${ref}:`)) naming.add(ref);
  }
  const [first] = naming;
  if (first === undefined) return [];
  const which = naming.size === 1 ? `${first} names it` : `${naming.size} refs name it, ${first} first`;
  return left(`${which}: that is the repository's own history, and may have been pushed`);
}
const refsAtOnce = 200;

type Asked = { readonly kind: "told"; readonly text: string } | { readonly kind: "unknown"; readonly why: string };

/** Nothing is fetched, and no program of the repository's is run: of a tree git only reads. */
async function git(common: string, args: readonly string[], signal: AbortSignal): Promise<Asked> {
  const env = { ...gitEnvironment, GIT_DIR: common, GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
  const outcome = await run(["git", "--no-pager", "-c", "core.fsmonitor=false", ...args], { withinMs: answersWithinMs, signal, cwd: common, env });
  if (outcome.kind !== "exited") return { kind: "unknown", why: outcome.kind === "missing" ? "it is not on PATH" : "it gave no answer" };
  // 1 is grep's word for "nothing found".
  const isNone = outcome.code === 1 && args[0] === "grep" && outcome.stderr === "";
  if (outcome.code === 0 || isNone) return { kind: "told", text: outcome.stdout };
  return { kind: "unknown", why: outcome.stderr.split("\n")[0]?.replace(/^(?:fatal|error): /, "") || `it ended with ${outcome.code}` };
}
const answersWithinMs = 15_000;
