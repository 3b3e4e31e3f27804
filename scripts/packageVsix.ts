import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";
import { buildProduct } from "./build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** One universal VSIX: everything but the editor's own API is in the two bundles. */
export async function packageVsix(folder: string): Promise<string> {
  await buildProduct();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "session-warden.vsix");
  await createVSIX({ cwd: root, packagePath: file, dependencies: false, allowMissingRepository: true });
  return file;
}

if (import.meta.main) console.log(await packageVsix(root));
