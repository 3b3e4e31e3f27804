import * as z from "zod";
import { parseJson } from "../../system/cutElements.ts";
import { trackedId } from "./entry.ts";
import type { Entry, ParsedFile } from "./entry.ts";

/** Tolerant key by key: one that can't be used is as one that is not there. */
const text = z.string().min(1).optional().catch(undefined);
const RowShape = z.object({
  session_id: z.string().regex(trackedId),
  name: text,
  title: text,
  tag: text,
  directory: text,
  created_at: text,
});

/** An array of objects with `session_id`. An empty file holds none. */
export function parseDetails(json: string): ParsedFile {
  const rows = json.trim() === "" ? [] : parseJson(json);
  if (rows === undefined) return { kind: "corrupt", reason: "it is not whole JSON" };
  if (!Array.isArray(rows)) return { kind: "corrupt", reason: "it is not an array" };
  const entries = rows.map(entryOf).filter((entry) => entry !== undefined);
  return { kind: "parsed", entries, unreadable: rows.length - entries.length };
}

/** Undefined where it names no session. */
export function entryOf(row: unknown): Entry | undefined {
  const { session_id: id, name, title, tag, directory, created_at: createdAt } = RowShape.safeParse(row).data ?? {};
  if (id === undefined) return undefined;
  const startedAt = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return {
    id,
    name,
    title: title ?? tag,
    cwd: directory?.startsWith("/") ? directory : undefined,
    startedAt: Number.isNaN(startedAt) ? undefined : startedAt,
  };
}
