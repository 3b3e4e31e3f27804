import { bytesWords } from "./bytesWords.ts";
import type { PurgePlan } from "./operations/planPurge.ts";
import { agentNames, nameOf } from "./sentences.ts";
import type { Store } from "./store.ts";

/** What a person reads before a purge: each place with its size and why it belongs, and what stays. One line each, whatever a path or a title holds. */
export function planLines(plan: PurgePlan): readonly string[] {
  const { session, agent, conversation, stores, leftAlone, pending } = plan;
  const lines = [
    `Purge of the conversation of ${nameOf(session)}`,
    `${agentNames[agent.id]} · ${conversation.id}${session.cwd === undefined ? "" : ` · ${session.cwd}`}`,
    "",
    stores.length === 0 ? "Nothing of it was found." : `Deleted for good: ${sizeWords(stores)}`,
    ...stores.flatMap(({ name, path, bytes, belongsBecause }) => [
      `  ${name}${bytes === undefined ? "" : `, ${bytesWords(bytes)}`}`,
      `      ${path}`,
      `      ${belongsBecause}`,
    ]),
    ...(leftAlone.length > 0 ? ["", "Left as it is:", ...leftAlone.flatMap(({ name, path, why }) => [`  ${name}`, `      ${path}`, `      ${why}`])] : []),
    ...(pending.length > 0 ? ["", `Work that would be lost: ${pending.join("; ")}`] : []),
    "",
    "Its records here are told that it is purged, and lose its title, its last screen and its id.",
  ];
  return lines.map(asOneLine);
}

function asOneLine(line: string): string {
  return line.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
}

/** "9 places, 1.2 MB" */
export function sizeWords(stores: readonly Store[]): string {
  const known = stores.flatMap(({ bytes }) => bytes ?? []);
  const sum = bytesWords(known.reduce((all, bytes) => all + bytes, 0));
  const places = stores.length === 1 ? "1 place" : `${stores.length} places`;
  return `${places}, ${known.length < stores.length ? `${sum} and rows of databases` : sum}`;
}
