import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";
import { buildProduct } from "./build.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** One universal VSIX: everything but the editor's own API is in the two bundles. */
export async function packageVsix(folder: string): Promise<string> {
  await buildProduct();
  const readmePath = "dist/README.md";
  writeFileSync(join(root, readmePath), readOnItsOwn(readFileSync(join(root, "README.md"), "utf8")));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "session-warden.vsix");
  await createVSIX({ cwd: root, packagePath: file, readmePath, dependencies: false, allowMissingRepository: true });
  return file;
}

/** What leads to a file of the tree leads nowhere in the package, and VS Code shows pictures from https alone: those are left out, of links their words stay. */
function readOnItsOwn(markdown: string): string {
  return markdown.replaceAll(/^(\|.*\n\| ---.*\n)?.*!\[[^\]]*\]\((?!https:).*\n\n?/gm, "").replaceAll(/\[([^\]]*)\]\((?![a-z]+:|#)[^)]*\)/g, "$1");
}

if (import.meta.main) console.log(await packageVsix(root));
