import { basename } from "node:path";
import type { Program } from "../core/census.ts";

/** How an agent's own program is told from everything else, in its package and out of it. */
export interface Installed {
  readonly packages?: RegExp;
  /** File names of the native program. The package holds others too: search tools, installers. */
  readonly native?: RegExp;
  /** File names of the script that an interpreter runs. */
  readonly script?: RegExp;
  /** Where its own installer puts it, outside any package of its own. */
  readonly paths?: RegExp;
}

/** By the real file and its package alone. */
export function installedAs({ file, packageName, isScript }: Program, { packages, native, script, paths }: Installed): "native" | "script" | undefined {
  if (packageName !== undefined && packages?.test(packageName)) {
    const names = isScript ? script : native;
    if (names?.test(basename(file))) return isScript ? "script" : "native";
  }
  return !isScript && paths?.test(file) ? "native" : undefined;
}
