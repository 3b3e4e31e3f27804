// runHost.ts EXECUTABLE TESTS: runs the bundled suite in a VS Code on a private place. Ends with the suite's exit code.
import { join } from "node:path";
import { runTests, TestRunFailedError } from "@vscode/test-electron";
import { makePrivatePlace } from "../privatePlace.ts";
import { resultsFile } from "./counts.ts";
import { root } from "./run.ts";

const [executable, tests] = process.argv.slice(2) as [string, string];
using place = makePrivatePlace();
const { folder, workspace, env } = place;
try {
  process.exitCode = await runTests({
    vscodeExecutablePath: executable,
    extensionDevelopmentPath: root.replace(/\/$/, ""),
    extensionTestsPath: join(tests, "index"),
    launchArgs: [workspace, `--user-data-dir=${join(folder, "data")}`, `--extensions-dir=${join(folder, "extensions")}`],
    extensionTestsEnv: { ...env, SESSION_WARDEN_HOST_RESULTS: resultsFile("host") },
  });
} catch (error) {
  if (!(error instanceof TestRunFailedError)) throw error;
  process.exitCode = error.code ?? 1;
}
