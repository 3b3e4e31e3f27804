import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apart } from "./apart.ts";
import type { Counts } from "./counts.ts";
import { judge } from "./counts.ts";
import { run } from "./run.ts";

interface Manner {
  readonly env?: Readonly<Record<string, string>>;
  /** In a world of processes of its own. Not for agents that bring sandboxes and daemons: they get the machine as it is. */
  readonly isApart?: boolean;
}

/** One of the projects of vitest.config.ts, or those of its files that are named. */
export async function vitest(
  project: "unit" | "ui" | "real",
  files: readonly string[] = [],
  { env = {}, isApart = project !== "real" }: Manner = {},
): Promise<Counts> {
  const scratch = mkdtempSync(join(tmpdir(), "vitest-"));
  const report = join(scratch, "report.json");
  try {
    const argv = ["vitest", "run", "--project", project, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...files] as const;
    const exitCode = await run(isApart ? await apart(argv) : argv, { ...quiet, ...env });
    return judge(findReport(report), exitCode);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Vite announces for its configuration what does not concern this one. */
const quiet = { VITE_CONFIG_NATIVE_IGNORE_WARNING: "true" };

function findReport(file: string): Counts | undefined {
  try {
    const report = JSON.parse(readFileSync(file, "utf8")) as { numPassedTests: number; numFailedTests: number; numPendingTests: number; numTodoTests: number };
    return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests + report.numTodoTests };
  } catch {
    return undefined;
  }
}
