import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { buildProduct } from "./build.ts";
import { layOutContents } from "./contents.ts";
import { root } from "./suites/run.ts";

/** Packs from a folder that holds only what is packed: in the tree, vsce would look through all that tests have installed. */
const contents = join(root, ".vscode-test/package/contents");

/** One universal VSIX. */
export async function packageVsix(folder: string): Promise<string> {
  await buildProduct();
  layOutContents(contents);
  writeFileSync(join(contents, ".vscodeignore"), "# Nothing: all that is here is packed.\n");
  const file = join(folder, "session-warden.vsix");
  await createVSIX({ cwd: contents, packagePath: file, dependencies: false, allowMissingRepository: true });
  return file;
}

if (import.meta.main) console.log(await packageVsix(root));
