import { join } from "node:path";
import type { Kept } from "../../core/store.ts";
import { lookAt } from "../../system/erase/confined.ts";
import { lineStoresIn, staysOpen } from "../../system/erase/lines.ts";
import { countOf } from "../../system/erase/rows.ts";
import { listIfPresent } from "../../system/files.ts";
import { isNamedIn } from "../../system/wholeWord.ts";
import type { Contents } from "./contents.ts";

/** Lines of its logs that name the session or one of its sub-agents', and no other. What its tools were allowed to run stands there without a session. */
export async function keptLogLines(home: string, family: Contents["family"]): Promise<Kept> {
  const folder = join(home, "log");
  const kept = await Promise.all((await listIfPresent(folder)).map((name) => keptIn(home, join(folder, name), family)));
  return { stores: kept.flatMap(({ stores }) => stores), leftAlone: kept.flatMap(({ leftAlone }) => leftAlone) };
}

async function keptIn(home: string, path: string, family: Contents["family"]): Promise<Kept> {
  const counts = await Promise.all(family.map((id) => countOf(id, [path])));
  if (counts.every((count) => count === 0)) return { stores: [], leftAlone: [] };
  const name = "its lines in OpenCode's log";
  const left = (why: string, holds: "text" | "id"): Kept["leftAlone"] => [{ name, path, why, holds }];
  const target = await lookAt({ root: home, path });
  if (target.kind !== "file") return { stores: [], leftAlone: left(target.kind === "blocked" ? target.reason : "it is a symbolic link", "text") };
  if (await staysOpen(path))
    return { stores: [], leftAlone: left("an OpenCode that runs keeps it open to write to it; it has its title, and what its tools ran", "text") };

  const isOf = (line: string): boolean => family.some((id) => isNamedIn(line, id));
  const namesOthers = (line: string): boolean => (line.match(anyId) ?? []).some((id) => !family.includes(id));
  const lines = { root: home, path, name, belongsBecause: "they name its id and no other session's" };
  const stores = await lineStoresIn({ ...lines, isIts: (line) => isOf(line) && !namesOthers(line) });
  const shared = await lineStoresIn({ ...lines, isIts: (line) => isOf(line) && namesOthers(line) });
  const ran = await lineStoresIn({ ...lines, isIts: (line) => isOfTool(line) && !isOf(line) });
  return {
    stores,
    leftAlone: [
      ...(shared.length > 0 ? left("some of its lines name other sessions too", "id") : []),
      ...(ran.length > 0 ? left("it tells what tools were allowed to run, and not in which session", "text") : []),
    ],
  };
}
const anyId = /(?<![0-9A-Za-z_-])ses_[0-9A-Za-z]+(?![0-9A-Za-z_-])/g;

function isOfTool(line: string): boolean {
  return / permission=\S+ pattern=/.test(line);
}
