// npm run test:real [-- FILE …]
import { globSync } from "node:fs";
import { installRealAgents } from "../test/real/support/install.ts";
import { runSuites } from "./suites.ts";
import type { Counts } from "./suites/counts.ts";
import { sum } from "./suites/counts.ts";
import { root } from "./suites/run.ts";
import { vitest } from "./suites/vitest.ts";

process.exitCode = await runSuites([{ name: "real", says: "real agents against a fake model", run: real, needsBuild: true }]);

/** What is named, one file after the other; else all, in two lanes beside each other, since most of the time an agent is waited for. OpenCode's servers are apart: whoever lists all sessions of the machine would list theirs. */
async function real(): Promise<Counts> {
  const files = process.argv.slice(2);
  if (files.length > 0) return await vitest("real", files);
  await installRealAgents();
  const all = globSync("test/real/*.test.ts", { cwd: root }).toSorted();
  const lanes = Map.groupBy(all, (file) => (file.startsWith("test/real/opencode") ? "opencode" : "others"));
  const env = { SESSION_WARDEN_BUILT: "1" };
  return sum(await Promise.all([...lanes].map(([name, lane]) => vitest("real", lane, { env, isApart: name === "opencode" }))));
}
