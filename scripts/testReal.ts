// npm run test:real [-- FILE …]
import { globSync } from "node:fs";
import { runSuites } from "./suites.ts";
import type { Counts } from "./suites/counts.ts";
import { none } from "./suites/counts.ts";
import { root } from "./suites/run.ts";
import { vitest } from "./suites/vitest.ts";

process.exitCode = await runSuites([{ name: "real", says: "real agents against a fake model", run: real, needsBuild: true }]);

async function real(): Promise<Counts> {
  if (globSync("test/real/**/*.test.ts", { cwd: root }).length > 0) return await vitest("real", process.argv.slice(2));
  console.log("There are no tests with real agents yet.");
  return none;
}
