import { join } from "node:path";
import type { Kept } from "../../core/store.ts";
import { lookAt } from "../../system/erase/confined.ts";
import { lineStoresIn, staysOpen } from "../../system/erase/lines.ts";
import { countOf } from "../../system/erase/rows.ts";
import { isReadable } from "../../system/erase/unreadable.ts";
import { listIfPresent } from "../../system/files.ts";

/** Lines of its logs that name the conversation and no other. The hub keeps its own log open for as long as it lives: that one stays. */
export async function keptLogLines(home: string, id: string): Promise<Kept> {
  const folder = join(home, "logs");
  const inLogs = (await listIfPresent(folder)).map((name) => join(folder, name));
  const kept = await Promise.all([...inLogs, join(home, "hooks.jsonl")].map((path) => keptIn(home, path, id)));
  return { stores: kept.flatMap(({ stores }) => stores), leftAlone: kept.flatMap(({ leftAlone }) => leftAlone) };
}

async function keptIn(home: string, path: string, id: string): Promise<Kept> {
  const name = "its lines in a log";
  if (!(await isReadable(path)) || (await countOf(id, [path])) === 0) return { stores: [], leftAlone: [] };
  const target = await lookAt({ root: home, path });
  if (target.kind !== "file")
    return { stores: [], leftAlone: [{ name, path, why: target.kind === "blocked" ? target.reason : "it is a symbolic link", holds: "id" }] };
  if (await staysOpen(path))
    return { stores: [], leftAlone: [{ name, path, why: "a program keeps it open to write to it, such as Cline's hub", holds: "id" }] };
  const names = (line: string) => ({ it: idsIn(line).includes(id), others: idsIn(line).some((named) => named !== id) });
  const lines = { root: home, path, name, belongsBecause: "they name its id and no other conversation's" };
  const stores = await lineStoresIn({ ...lines, isIts: (line) => names(line).it && !names(line).others });
  const shared = await lineStoresIn({ ...lines, isIts: (line) => names(line).it && names(line).others });
  return { stores, leftAlone: shared.length > 0 ? [{ name: "lines in a log", path, why: "they name other conversations too", holds: "id" }] : [] };
}

/** Requests of the hub have ids of the same form, with a word before them. */
function idsIn(line: string): readonly string[] {
  return line.match(/(?<![0-9A-Za-z_])\d{13}_[0-9a-z]{5}(?![0-9A-Za-z])/g) ?? [];
}
