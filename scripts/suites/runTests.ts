// runTests.ts EXECUTABLE SUITE EXTENSION [VSIX]: runs the bundled suite from the extension's folder, in a VS Code on a private place where the VSIX is
// installed. An empty EXECUTABLE is the web host. Ends with the suite's exit code.
import { join } from "node:path";
import { runTests, TestRunFailedError } from "@vscode/test-electron";
import { makePrivatePlace } from "../privatePlace.ts";
import { resultsFile } from "./counts.ts";
import { installVsix } from "./installVsix.ts";
import { bundledTests } from "./inVsCode.ts";
import { root } from "./run.ts";

const [desktop, suite, extension, vsix] = process.argv.slice(2) as [string, string, string, string | undefined];
using place = makePrivatePlace();
const { folder, workspace, env } = place;
const places = { data: join(folder, "data"), extensions: join(folder, "extensions") };
if (vsix !== undefined) await installVsix(vsix, desktop, places, env);
try {
  process.exitCode = await runTests({
    vscodeExecutablePath: desktop === "" ? join(root, "scripts/webHost/executable.ts") : desktop,
    extensionDevelopmentPath: extension,
    extensionTestsPath: join(bundledTests(suite), "index"),
    launchArgs: [workspace, `--user-data-dir=${places.data}`, `--extensions-dir=${places.extensions}`],
    extensionTestsEnv: {
      ...env,
      SESSION_WARDEN_TESTS_RESULTS: resultsFile(suite),
      SESSION_WARDEN_TESTS_NODE: process.execPath,
      SESSION_WARDEN_TESTS_VSIX: vsix,
      SESSION_WARDEN_TESTS_EXTENSIONS: places.extensions,
    },
  });
} catch (error) {
  if (!(error instanceof TestRunFailedError)) throw error;
  process.exitCode = error.code ?? 1;
}
