import { globSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { bundle } from "../build.ts";
import { findDesktop } from "../desktop.ts";
import { setUpWebHost } from "../webHost/setUp.ts";
import { apart } from "./apart.ts";
import type { Counts } from "./counts.ts";
import { findCounts, judge } from "./counts.ts";
import { root, run } from "./run.ts";

export interface TestedInVsCode {
  /** Its files are in the folder of that name in test/. */
  readonly suite: string;
  /** The folder of the extension that VS Code takes the tests for. */
  readonly extension: string;
  /** Installed before. */
  readonly vsix?: string;
}

/** A mocha suite in a real VS Code: on the desktop where there is one, else in the web host. */
export async function inVsCode({ suite, extension, vsix }: TestedInVsCode): Promise<Counts> {
  const output = bundledTests(suite);
  rmSync(output, { recursive: true, force: true });
  const tests = globSync(`test/${suite}/*.test.ts`, { cwd: root }).map((file) => [basename(file, ".ts"), file]);
  await bundle({ index: "test/host/index.ts", ...Object.fromEntries(tests) }, output, {
    external: ["vscode", "mocha"],
    // A bundle has no files beside it: what a test needs from the tree, it finds from here.
    define: { "import.meta.dirname": JSON.stringify(join(root, "test/support/standIns")) },
    minify: false,
    sourcemap: "inline",
  });

  const desktop = findDesktop();
  if (desktop === undefined) await setUpWebHost();
  console.log(desktop === undefined ? "In the web host." : `In ${desktop}.`);
  const argv = [process.execPath, join(import.meta.dirname, "runTests.ts"), desktop ?? "", suite, extension, ...(vsix === undefined ? [] : [vsix])] as const;
  const exitCode = await run(desktop === undefined ? await apart(argv) : argv);
  return judge(findCounts(suite), exitCode);
}

export function bundledTests(suite: string): string {
  return join(root, `.vscode-test/${suite}-tests`);
}
