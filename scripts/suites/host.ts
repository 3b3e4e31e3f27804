import { globSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { runTests, TestRunFailedError } from "@vscode/test-electron";
import { bundle } from "../build.ts";
import { findDesktop } from "../desktop.ts";
import type { PrivatePlace } from "../privatePlace.ts";
import { makePrivatePlace } from "../privatePlace.ts";
import { setUpWebHost } from "../webHost/setUp.ts";
import type { Counts } from "./counts.ts";
import { findCounts, judge, resultsFile } from "./counts.ts";
import { root } from "./run.ts";

const output = join(root, ".vscode-test/host-tests");

/** The mocha suite in a real VS Code: on the desktop where there is one, else in the web host. One runner, one suite. */
export async function host(): Promise<Counts> {
  rmSync(output, { recursive: true, force: true });
  const tests = globSync("test/host/*.test.ts", { cwd: root }).map((file) => [basename(file, ".ts"), file]);
  await bundle({ index: "test/host/index.ts", ...Object.fromEntries(tests) }, output, { external: ["vscode", "mocha"], minify: false, sourcemap: "inline" });

  using place = makePrivatePlace();
  const exitCode = await runIn(place);
  return judge(findCounts("host"), exitCode);
}

async function runIn({ folder, workspace, env }: PrivatePlace): Promise<number> {
  const desktop = findDesktop();
  if (desktop === undefined) await setUpWebHost();
  console.log(desktop === undefined ? "In the web host." : `In ${desktop}.`);
  try {
    return await runTests({
      vscodeExecutablePath: desktop ?? join(root, "scripts/webHost/executable.ts"),
      extensionDevelopmentPath: root.replace(/\/$/, ""),
      extensionTestsPath: join(output, "index"),
      launchArgs: [workspace, `--user-data-dir=${join(folder, "data")}`, `--extensions-dir=${join(folder, "extensions")}`],
      extensionTestsEnv: { ...env, SESSION_WARDEN_HOST_RESULTS: resultsFile("host") },
    });
  } catch (error) {
    if (!(error instanceof TestRunFailedError)) throw error;
    return error.code ?? 1;
  }
}
