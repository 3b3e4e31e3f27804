import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./suites/run.ts";

/** All that is in the package, beside the README; everything but the editor's own API, the database program and the YAML library is in the bundles. */
const parts = [
  "package.json",
  "package.nls.json",
  "CHANGELOG.md",
  "LICENSE",
  "bin/session-warden",
  "dist/cli.js",
  "dist/execa.js",
  "dist/extension.js",
  "dist/stores.js",
  "media/icon.png",
  "media/sessions.svg",
] as const;

/** What runs of it, for every platform: its sources are left out, and what it names as a dependency is for compiling them only. */
const database = ["package.json", "LICENSE", "lib/**/*.js", "prebuilds/*.node"];
const yaml = ["package.json", "LICENSE", "dist/**/*.js"];

/** What a person gets, as it is built now, is afterwards in that folder, and nothing else. */
export function layOutContents(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of parts) cpSync(join(root, part), join(folder, part));
  // Beside the bundles that ask for it, which is where Node looks first: vsce leaves out a node_modules at the top.
  layOutPackage("better-sqlite3", database, join(folder, "dist/node_modules"));
  layOutPackage("yaml", yaml, join(folder, "dist/node_modules"));
  writeFileSync(join(folder, "README.md"), readOnItsOwn(readFileSync(join(root, "README.md"), "utf8")));
}

function layOutPackage(name: string, patterns: readonly string[], folder: string): void {
  const cwd = join(root, "node_modules", name);
  for (const file of globSync(patterns, { cwd })) cpSync(join(cwd, file), join(folder, name, file));
}

/** What leads to a file of the tree leads nowhere in the package, and VS Code shows pictures from https alone: those are left out, of links their words stay. */
function readOnItsOwn(markdown: string): string {
  return markdown.replaceAll(/^(\|.*\n\| ---.*\n)?.*!\[[^\]]*\]\((?!https:).*\n\n?/gm, "").replaceAll(/\[([^\]]*)\]\((?![a-z]+:|#)[^)]*\)/g, "$1");
}
