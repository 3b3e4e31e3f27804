import { readFileSync } from "node:fs";
import { join } from "node:path";
import { layOutContents } from "../contents.ts";
import { root } from "../suites/run.ts";

/** What is built, as an installed extension: a copy of what the package holds. */
export function installExtension(extensionsFolder: string): void {
  const { publisher, name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { publisher: string; name: string; version: string };
  layOutContents(join(extensionsFolder, `${publisher}.${name}-${version}`));
}
