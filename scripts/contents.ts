import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./suites/run.ts";

/** All that is in the package, beside the README; everything but the editor's own API is in the two bundles. */
const parts = [
  "package.json",
  "package.nls.json",
  "CHANGELOG.md",
  "LICENSE",
  "bin/session-warden",
  "dist/cli.js",
  "dist/extension.js",
  "media/icon.png",
  "media/sessions.svg",
] as const;

/** What a person gets, as it is built now, is afterwards in that folder, and nothing else. */
export function layOutContents(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of parts) cpSync(join(root, part), join(folder, part));
  writeFileSync(join(folder, "README.md"), readOnItsOwn(readFileSync(join(root, "README.md"), "utf8")));
}

/** What leads to a file of the tree leads nowhere in the package, and VS Code shows pictures from https alone: those are left out, of links their words stay. */
function readOnItsOwn(markdown: string): string {
  return markdown.replaceAll(/^(\|.*\n\| ---.*\n)?.*!\[[^\]]*\]\((?!https:).*\n\n?/gm, "").replaceAll(/\[([^\]]*)\]\((?![a-z]+:|#)[^)]*\)/g, "$1");
}
