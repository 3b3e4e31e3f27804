import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../suites/run.ts";

/** What is built, as an installed extension: a copy of what the package holds. */
export function installExtension(extensionsFolder: string, from: string = root): void {
  const { publisher, name, version } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as { publisher: string; name: string; version: string };
  const to = join(extensionsFolder, `${publisher}.${name}-${version}`);
  mkdirSync(to, { recursive: true });
  for (const part of ["package.json", "package.nls.json", "README.md", "LICENSE", "media", "bin", "dist", "node_modules/better-sqlite3"]) {
    if (existsSync(join(from, part))) cpSync(join(from, part), join(to, part), { recursive: true, dereference: true });
  }
}
