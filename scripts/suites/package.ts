import { join } from "node:path";
import { packageVsix } from "../packageVsix.ts";
import type { Counts } from "./counts.ts";
import { inVsCode } from "./inVsCode.ts";
import { root } from "./run.ts";

/** The package as a person gets it. A development path of the same id would shadow what is installed, so the tests come from an extension of their own. */
export async function packaged(): Promise<Counts> {
  const vsix = await packageVsix(join(root, ".vscode-test/package"));
  return await inVsCode({ suite: "package", extension: join(root, "test/package"), vsix });
}
