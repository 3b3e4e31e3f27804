import { globSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { bundle } from "../build.ts";
import { findDesktop } from "../desktop.ts";
import { setUpWebHost } from "../webHost/setUp.ts";
import { apart } from "./apart.ts";
import type { Counts } from "./counts.ts";
import { findCounts, judge } from "./counts.ts";
import { root, run } from "./run.ts";

/** The mocha suite in a real VS Code: on the desktop where there is one, else in the web host. One runner, one suite. */
export async function host(): Promise<Counts> {
  const output = join(root, ".vscode-test/host-tests");
  rmSync(output, { recursive: true, force: true });
  const tests = globSync("test/host/*.test.ts", { cwd: root }).map((file) => [basename(file, ".ts"), file]);
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
  const argv = [process.execPath, join(import.meta.dirname, "runHost.ts"), desktop ?? join(root, "scripts/webHost/executable.ts"), output] as const;
  const exitCode = await run(desktop === undefined ? await apart(argv) : argv);
  return judge(findCounts("host"), exitCode);
}
