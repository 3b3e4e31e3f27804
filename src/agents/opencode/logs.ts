import { join } from "node:path";
import type { LeftAlone, Store } from "../../core/store.ts";
import { lookAt } from "../../system/erase/confined.ts";
import { lineStoresIn, staysOpen } from "../../system/erase/lines.ts";
import { countOf } from "../../system/erase/rows.ts";
import { isReadable } from "../../system/erase/unreadable.ts";
import { listIfPresent } from "../../system/files.ts";
import { isNamedIn } from "../../system/wholeWord.ts";
import type { Contents } from "./contents.ts";
import { anyId, ranIn } from "./toolsInLog.ts";

/** Of a log, before its rows go and after that. */
export interface KeptInLogs {
  /** What its tools were allowed to run stands there without a session: only its rows tell that it was in this one. */
  readonly ofTools: readonly Store[];
  /** Lines that name the session, or one of its sub-agents', and no other. */
  readonly named: readonly Store[];
  readonly leftAlone: readonly LeftAlone[];
}

export async function keptLogLines(
  home: string,
  database: string | undefined,
  family: Contents["family"],
  contents: Contents | undefined,
): Promise<KeptInLogs> {
  const folder = join(home, "log");
  const all = await Promise.all((await listIfPresent(folder)).map((name) => keptIn({ home, database, family, contents }, join(folder, name))));
  return {
    ofTools: all.flatMap(({ ofTools }) => ofTools),
    named: all.flatMap(({ named }) => named),
    leftAlone: all.flatMap(({ leftAlone }) => leftAlone),
  };
}

interface Whose {
  readonly home: string;
  readonly database: string | undefined;
  readonly family: Contents["family"];
  readonly contents: Contents | undefined;
}

async function keptIn({ home, database, family, contents }: Whose, path: string): Promise<KeptInLogs> {
  if (!(await isReadable(path))) return { ofTools: [], named: [], leftAlone: [] };
  const counts = await Promise.all(family.map((id) => countOf(id, [path])));
  if (counts.every((count) => count === 0)) return { ofTools: [], named: [], leftAlone: [] };
  const name = "its lines in OpenCode's log";
  const left = (why: string, holds: "text" | "id"): readonly LeftAlone[] => [{ name, path, why, holds }];
  const only = (leftAlone: readonly LeftAlone[]): KeptInLogs => ({ ofTools: [], named: [], leftAlone });
  const target = await lookAt({ root: home, path });
  if (target.kind !== "file") return only(left(target.kind === "blocked" ? target.reason : "it is a symbolic link", "text"));
  if (await staysOpen(path)) return only(left("an OpenCode that runs keeps it open to write to it; it has its title, and what its tools ran", "text"));

  const isOf = (line: string): boolean => family.some((id) => isNamedIn(line, id));
  const namesOthers = (line: string): boolean => (line.match(anyId) ?? []).some((id) => !family.includes(id));
  const lines = { root: home, path, name, belongsBecause: "they name its id and no other session's" };
  const shared = await lineStoresIn({ ...lines, isIts: (line) => isOf(line) && namesOthers(line) });

  const ran = await ranIn(lines, { database, family, contents });
  const ofTools = await lineStoresIn({
    ...lines,
    name: "what its tools ran, in OpenCode's log",
    belongsBecause: "it ran that, and no other session did",
    isIts: (line) => ran.isIts(line) && !isOf(line),
  });
  return {
    ofTools,
    named: await lineStoresIn({ ...lines, isIts: (line) => isOf(line) && !namesOthers(line) }),
    leftAlone: [
      ...(shared.length > 0 ? left("some of its lines name other sessions too", "id") : []),
      ...(ran.mayBeShared ? left("it tells what tools ran without telling in which session, and another may have run the same", "text") : []),
    ],
  };
}
