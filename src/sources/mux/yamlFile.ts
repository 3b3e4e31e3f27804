import type { BigIntStats } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import type { RecordOutcome } from "../../core/source.ts";
import { isAbsence, replaceFile } from "../../system/files.ts";
import type { Emptied } from "./emptyIdentity.ts";
import type { JsonObject } from "./json.ts";
import { editRegistry } from "./text/edit.ts";
import type { Edit, Edited } from "./text/edit.ts";
import { parseRegistry } from "./text/parse.ts";
import { reconcile } from "./text/reconcile.ts";
import type { RowText } from "./text/rowText.ts";

export type YamlReading =
  | { readonly kind: "absent" }
  | { readonly kind: "read"; readonly rows: readonly (JsonObject | undefined)[]; readonly identities: JsonObject | undefined }
  | { readonly kind: "corrupt"; readonly reason: string };

export type YamlWritten = { readonly kind: "written"; readonly cut?: RowText } | RecordOutcome;

/** The registry's YAML file. Whoever reads it sees the old text or the new one, whole; what can't be parsed is never written. */
export interface YamlFile {
  read(): Promise<YamlReading>;
  edit(editsOf: (rows: readonly (JsonObject | undefined)[], identities: JsonObject | undefined) => readonly Edit[]): Promise<YamlWritten>;
  reconcile(rows: readonly JsonObject[], mayGo: (name: string) => boolean, emptied: Emptied | undefined): Promise<YamlWritten>;
}

export function openYamlFile(path: string): YamlFile {
  let latest: { readonly stamp: string; readonly reading: YamlReading } | undefined;

  return {
    async read() {
      const now = await stampOf(path);
      if (now !== undefined && latest?.stamp === now) return latest.reading;
      const text = await load(path);
      const reading = text.kind === "text" ? await readingOf(text.text) : text;
      latest = text.kind === "text" && text.isSettled ? { stamp: text.stamp, reading } : undefined;
      return reading;
    },
    edit: (editsOf) =>
      rewrite(async (text) => {
        const parsed = await parseRegistry(text);
        return parsed.kind === "corrupt" ? parsed : editRegistry(parsed, editsOf(parsed.rows, parsed.identities));
      }),
    reconcile: (rows, mayGo, emptied) => rewrite((text) => reconcile(text, rows, mayGo, emptied)),
  };

  /** Read, edit, look once more whether it is still what was read, put in its place. A writer that takes no lock is only noticed here. */
  async function rewrite(edited: (text: string) => Promise<Edited>): Promise<YamlWritten> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = await load(path);
      if (before.kind === "corrupt") return { kind: "unreachable", reason: before.reason };
      const text = before.kind === "absent" ? "" : before.text;
      const outcome = await edited(text);
      if (outcome.kind === "corrupt") return { kind: "unreachable", reason: whereWords(outcome) };
      if (outcome.kind === "unsafe") return { kind: "failed", reason: outcome.reason };
      if (outcome.text === text) return { kind: "alreadySo" };
      const [target, mode] = before.kind === "absent" ? [path, 0o600] : [before.target, before.mode];
      const isStillSo = async (): Promise<boolean> => (await stampOf(path)) === (before.kind === "absent" ? undefined : before.stamp);
      if (await replaceFile(target, outcome.text, { mode, onlyIf: isStillSo })) return { kind: "written", ...(outcome.cut && { cut: outcome.cut }) };
    }
    return { kind: "busy" };
  }
}

async function readingOf(text: string): Promise<YamlReading> {
  const parsed = await parseRegistry(text);
  return parsed.kind === "parsed" ? { kind: "read", rows: parsed.rows, identities: parsed.identities } : { kind: "corrupt", reason: whereWords(parsed) };
}

function whereWords({ line, column, reason }: { readonly line: number; readonly column: number; readonly reason: string }): string {
  return `line ${line}, column ${column}: ${reason}`;
}

type Loaded =
  | { readonly kind: "absent" }
  | { readonly kind: "corrupt"; readonly reason: string }
  | {
      readonly kind: "text";
      readonly text: string;
      readonly stamp: string;
      /** Written so long ago that another writing would show in its times. */
      readonly isSettled: boolean;
      /** The file itself, where the path is a link to it. */
      readonly target: string;
      readonly mode: number;
    };

async function load(path: string): Promise<Loaded> {
  try {
    const kind = await stat(path, { bigint: true });
    if (!kind.isFile()) return { kind: "corrupt", reason: "it is not a file" };
    if (kind.size > largestBytes) return { kind: "corrupt", reason: "it is larger than 64 MB" };
    const bytes = await readFile(path);
    const isSettled = Date.now() - Number(kind.mtimeMs) > settledMs;
    return { kind: "text", text: decoded(bytes), stamp: stampIn(kind), isSettled, target: await realpath(path), mode: Number(kind.mode) & 0o777 };
  } catch (error) {
    if (error instanceof TypeError) return { kind: "corrupt", reason: "it is not UTF-8 text" };
    if (isMissing(error)) return { kind: "absent" };
    if (isAbsence(error)) return { kind: "corrupt", reason: "it may not be read" };
    throw error;
  }
}
const largestBytes = 64 * 1024 * 1024;
/** File systems tell time in steps of some milliseconds. */
const settledMs = 100;

/** Fails where writing it again would not give the same bytes; a byte order mark stays. */
function decoded(bytes: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    return stampIn(await stat(path, { bigint: true }));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function stampIn({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
