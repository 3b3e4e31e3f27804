import { shortAge } from "./ageWords.ts";
import { bytesWords } from "./bytesWords.ts";
import type { Orphan } from "./orphans.ts";
import { cpuWords } from "./usage.ts";

/** "12 MB · 0 % CPU · 3h · /app" */
export function burdenWords({ usage, startedAt, cwd, tree }: Orphan, now: number): string {
  return [
    usage && bytesWords(usage.memoryBytes),
    usage && cpuWords(usage),
    startedAt === undefined ? undefined : shortAge(Math.max(0, now - startedAt)),
    tree.length > 1 ? `${tree.length} processes` : undefined,
    cwd,
  ]
    .filter((words) => words !== undefined)
    .join(" · ");
}

/** By what it is known, and why it is left alone where it is. */
export function reasonWords({ why, protection }: Orphan): string {
  return protection === undefined ? why : `${why} Protected: ${protection}.`;
}

/** What a person has to see before it is ended, a sentence each. */
export function endingWords({ session, tree, process }: Orphan): readonly string[] {
  const others = tree.length - 1;
  const how = session ? "It is asked to leave, and killed if it stays." : "It gets SIGTERM, and SIGKILL if it stays.";
  return [
    `Process ${process.pid}${others === 0 ? "" : `, and ${others === 1 ? "one" : others} below it,`} would be ended. ${how}`,
    ...(session?.status.value === "working" ? ["It is in the middle of a turn."] : []),
    ...(session && session.conversation?.resumable?.value !== true ? ["Whether its conversation can be resumed is not known."] : []),
  ];
}
