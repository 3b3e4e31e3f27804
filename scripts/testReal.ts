// npm run test:real [-- FILE …]
import { globSync } from "node:fs";
import { installRealAgents } from "../test/real/support/install.ts";
import { runSuites } from "./suites.ts";
import type { Counts } from "./suites/counts.ts";
import { none, sum } from "./suites/counts.ts";
import { root } from "./suites/run.ts";
import { vitest } from "./suites/vitest.ts";

process.exitCode = await runSuites([{ name: "real", says: "real agents against a fake model", run: real, needsBuild: true }]);

/** What is named, one file after the other; else all, in lanes beside each other, since most of the time an agent is waited for. */
async function real(): Promise<Counts> {
  const files = process.argv.slice(2);
  if (files.length > 0) return await vitest("real", files);
  await installRealAgents();
  const all = globSync("test/real/*.test.ts", { cwd: root }).toSorted();
  const lanes = Map.groupBy(all, laneOf);
  const run = async (lane: Lane): Promise<Counts> => {
    const files = lanes.get(lane) ?? [];
    return files.length === 0 ? none : await vitest("real", files, { env: { SESSION_WARDEN_BUILT: "1" }, isApart: lane.startsWith("opencode") });
  };
  // OpenCode's servers are apart, and an editor's tree is looked at before others fill it, or take its time: both show all sessions of the machine.
  const editorFirst = async (): Promise<Counts> => sum([await run("editor"), ...(await Promise.all([run("claude"), run("others")]))]);
  // A server that hangs is seen by every look on the machine, and takes its time: it comes when the others are through.
  const hangingLast = async (): Promise<Counts> => sum([await run("opencode"), await run("opencode that hangs")]);
  return sum(await Promise.all([hangingLast(), editorFirst()]));
}

type Lane = "opencode" | "opencode that hangs" | "editor" | "claude" | "others";
function laneOf(file: string): Lane {
  const name = file.slice("test/real/".length);
  if (name.includes("InEditor")) return "editor";
  if (name.startsWith("opencodeForce")) return "opencode that hangs";
  // Codex keeps a folder for the daemons of all its homes: two labs that start one at once were seen to disturb each other, so its files are in one lane.
  return name.startsWith("opencode") ? "opencode" : /^(claude|registry|purge|looks|othersCline)/.test(name) ? "claude" : "others";
}
