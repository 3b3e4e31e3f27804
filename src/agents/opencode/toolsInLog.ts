import { lineStoresIn } from "../../system/erase/lines.ts";
import type { Lines } from "../../system/erase/lines.ts";
import { isNamedIn } from "../../system/wholeWord.ts";
import { parseJson } from "../jsonText.ts";
import { isTypedElsewhere } from "./contents.ts";
import type { Contents } from "./contents.ts";

export interface RanInLog {
  /** Of a run that names no other session, or of what only this one's tools were given. */
  readonly isIts: (line: string) => boolean;
  /** Of a run that names this session, and of which that can't be told. */
  readonly mayBeShared: boolean;
}

/** What tools were allowed to run: a log tells it without a session, but in which run of OpenCode it was. */
export async function ranIn(
  log: Omit<Lines, "isIts">,
  { database, family, contents }: { readonly database: string | undefined; readonly family: Contents["family"]; readonly contents: Contents | undefined },
): Promise<RanInLog> {
  const naming = { own: new Set<string>(), others: new Set<string>() };
  await eachLine(log, (line) => {
    const run = runIn(line);
    if (run === undefined) return;
    if (family.some((id) => isNamedIn(line, id))) naming.own.add(run);
    if ((line.match(anyId) ?? []).some((id) => !family.includes(id))) naming.others.add(run);
  });
  const patterns = new Set<string>();
  await eachLine(log, (line) => {
    const pattern = patternIn(line);
    const run = runIn(line) ?? "";
    if (pattern !== undefined && naming.own.has(run) && naming.others.has(run)) patterns.add(pattern);
  });

  const isGiven = (pattern: string): boolean => contents?.inputs.some((input) => input.includes(pattern)) === true;
  const asked = [...patterns].slice(0, mostPatterns);
  const elsewhere = (database !== undefined && contents && (await isTypedElsewhere(database, contents, asked))) || patterns;
  const isOwn = (pattern: string): boolean => asked.includes(pattern) && isGiven(pattern) && !elsewhere.has(pattern);
  return {
    isIts(line) {
      const pattern = patternIn(line);
      const run = runIn(line) ?? "";
      return pattern !== undefined && naming.own.has(run) && (!naming.others.has(run) || isOwn(pattern));
    },
    mayBeShared: [...patterns].some((pattern) => !isOwn(pattern) && (isGiven(pattern) || !elsewhere.has(pattern) || elsewhere === patterns)),
  };
}
export const anyId = /(?<![0-9A-Za-z_-])ses_[0-9A-Za-z]+(?![0-9A-Za-z_-])/g;
/** Each is looked for in all that OpenCode keeps. */
const mostPatterns = 200;

async function eachLine(log: Omit<Lines, "isIts">, look: (line: string) => void): Promise<void> {
  await lineStoresIn({
    ...log,
    isIts(line) {
      look(line);
      return false;
    },
  });
}

function runIn(line: string): string | undefined {
  return /(?:^|\s)run=(\w+)/.exec(line)?.[1];
}

function patternIn(line: string): string | undefined {
  const [, quoted, bare] = / permission=\S+ pattern=(?:("(?:[^"\\]|\\.)*")|(\S+))/.exec(line) ?? [];
  const pattern = quoted === undefined ? bare : parseJson(quoted);
  return typeof pattern === "string" && pattern !== "" && pattern !== "*" ? pattern : undefined;
}
