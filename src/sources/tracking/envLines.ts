import { trackedId } from "./entry.ts";
import type { Entry, ParsedFile } from "./entry.ts";

/** `NAME=SESSION_ID`, as a shell would read it. */
export function parseEnv(text: string): ParsedFile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const rows = lines.filter((line) => !isBlank(line)).map(parseEnvLine);
  const entries = rows.filter((row) => row !== undefined);
  return { kind: "parsed", entries, unreadable: rows.length - entries.length };
}

/** Undefined where the line names no session. */
export function parseEnvLine(line: string): Entry | undefined {
  const { name, double, single, bare } = assignment.exec(line.trim())?.groups ?? {};
  const id = double ?? single ?? bare;
  return id !== undefined && trackedId.test(id) ? { id, name, title: undefined, cwd: undefined, startedAt: undefined } : undefined;
}
const assignment = /^(?:export\s+)?(?<name>[^\s=#'"]+)\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s'"#;]+))(?:\s*;)?(?:\s+#.*)?$/;

function isBlank(line: string): boolean {
  return /^\s*(?:#|$)/.test(line);
}
