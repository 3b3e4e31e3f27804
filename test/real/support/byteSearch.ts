import { existsSync, globSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "./lab.ts";

/** Every file of the lab, and of the folders that Claude Code keeps in `/tmp`, whose bytes or path hold one of these texts. Links are not followed. */
export function filesHolding(lab: Lab, ...texts: readonly string[]): readonly string[] {
  const roots = [lab.root, ...globSync(`/tmp/claude-${process.getuid?.() ?? 0}`)];
  return roots.flatMap((root) => pathsBelow(root)).filter((path) => texts.some((text) => path.includes(text) || holds(path, text)));
}

/** The bytes of every file whose path holds a text, by path. */
export function bytesOf(lab: Lab, text: string): ReadonlyMap<string, string> {
  const paths = pathsBelow(lab.home).filter((path) => path.includes(text) && statSync(path).isFile());
  return new Map(paths.map((path) => [path, readFileSync(path, "latin1")]));
}

function pathsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...pathsBelow(path)] : [path];
  });
}

function holds(path: string, text: string): boolean {
  // A socket or pipe holds nothing, and a file may be gone by now.
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  return readFileSync(path).includes(text);
}
