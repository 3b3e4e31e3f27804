import { expect, test } from "vitest";
import { gemini } from "../../../src/agents/gemini/gemini.ts";
import type { Census, ProcessEntry } from "../../../src/core/census.ts";
import { agentProcesses } from "../../../src/sources/recognised.ts";

const now = 1_000_000;

function geminiProcess(pid: number, parentPid: number, ageMs: number): ProcessEntry {
  const file = "/opt/node_modules/@google/gemini-cli/bundle/gemini.js";
  return {
    identity: { pid, start: { kind: "ticks", ticks: String(pid) } },
    parentPid,
    groupId: 10,
    sessionId: 10,
    state: "running",
    argv: ["node", file],
    program: { file, packageName: "@google/gemini-cli", args: [], isScript: true },
    uid: process.getuid?.() ?? 0,
    tty: "1",
    isForeground: true,
    startedAt: now - ageMs,
  };
}

function pidsOf(...entries: readonly ProcessEntry[]): readonly number[] {
  const here = { host: "here", bootId: undefined, pidNamespace: undefined };
  const census: Census = { at: now, here, panes: [], unreachable: [], processes: new Map(entries.map((entry) => [entry.identity.pid, entry])) };
  return agentProcesses(census, [gemini]).map(({ entry }) => entry.identity.pid);
}

test("a Gemini that has not yet started itself anew is nobody's session", () => {
  expect(pidsOf(geminiProcess(20, 1, 300))).toEqual([]);
});

test("its inner process is, at once", () => {
  expect(pidsOf(geminiProcess(20, 1, 500), geminiProcess(21, 20, 100))).toEqual([21]);
});

test("and so is one that was told not to start itself anew, after a while", () => {
  expect(pidsOf(geminiProcess(20, 1, 5_000))).toEqual([20]);
});
