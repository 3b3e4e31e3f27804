import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { say } from "./support/agents/agent.ts";
import { claudeFile, configureClaude, findTranscript, quietClaude, startClaude } from "./support/agents/claude.ts";
import { startClineInHub, findClineHub } from "./support/agents/cline.ts";
import { findCodexDaemon, startCodex } from "./support/agents/codex.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { startServer } from "./support/opencodeServer.ts";
import { environmentOf, findProcess, isAlive, signal, treeOf, untilGone } from "./support/processes.ts";
import { untilRunning } from "./support/serverRows.ts";
import { stays, until } from "./support/until.ts";
import { warden } from "./support/warden.ts";

// What real agents leave behind is found and explained; what others share, or somebody has, is never offered.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["opencode", "cline", "codex", "claude"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

interface OrphanRow {
  readonly key: string;
  readonly pid: number;
  readonly what: string;
  readonly why: string;
  readonly cwd: string;
  readonly protected: boolean;
  readonly protected_because: string | null;
  readonly memory_bytes: number;
  readonly processes: readonly number[];
}

/** Of this lab: the machine may have others. */
async function orphans(): Promise<readonly OrphanRow[]> {
  const { orphans: all } = JSON.parse((await warden(lab, "orphans", "--json")).stdout) as { readonly orphans: readonly OrphanRow[] };
  return all.filter(({ cwd }) => cwd?.startsWith(lab.root));
}

/** Asked to end it nevertheless, it is refused and lives. */
async function isNeverEnded({ key, pid }: OrphanRow): Promise<void> {
  const process = findProcess(pid)!;
  const answer = await warden(lab, "orphans", "--end", key, "--yes", "--json");
  expect([answer.code, answer.json().reason, isAlive(process)]).toEqual([1, "protected", true]);
}

test("what a tool of an OpenCode server has set apart is nobody's when the server is killed: it is found, explained, and ended by choice", async () => {
  const server = await startServer(lab, { folder: lab.folder("server") });
  const id = await server.session("apart");
  await server.ask(id, "BASH setsid -f sleep 6301; sleep 6302");
  const [apart, inReach] = [await untilRunning(lab, "sleep 6301"), await untilRunning(lab, "sleep 6302")];
  expect(environmentOf(apart.pid)["OPENCODE_PID"]).toBe(String(server.process.pid));
  const whileItLives = await orphans();
  expect(
    whileItLives.filter(({ protected: isProtected, processes }) => !isProtected && (processes.includes(apart.pid) || processes.includes(inReach.pid))),
  ).toEqual([]);

  signal(server.process, "SIGKILL");
  await untilGone([server.process]);
  const row = await until(async () => (await orphans()).find(({ pid }) => pid === apart.pid));
  expect(row).toMatchObject({
    what: "sleep 6301",
    why: `It was left behind by OpenCode (${server.process.pid}), which is gone.`,
    protected: false,
    cwd: server.folder,
  });
  expect(row.memory_bytes).toBeGreaterThan(0);
  // The shell of the tool goes on too, with what it runs.
  const shell = (await orphans()).find(({ processes }) => processes.includes(inReach.pid));
  expect([shell?.protected, shell?.why]).toEqual([false, row.why]);

  expect((await warden(lab, "orphans", "--end", row.key)).code).toBe(3);
  expect(isAlive(apart)).toBe(true);
  const ended = await warden(lab, "orphans", "--end", row.key, "--yes", "--json");
  expect([ended.code, ended.json()]).toEqual([
    0,
    expect.objectContaining({ status: "success", operation: "endOrphan", verification_result: "session_terminated" }),
  ]);
  expect(ended.json().steps.map(({ step }) => step)).toEqual(["look", "look", "ask"]);
  expect([isAlive(apart), isAlive(inReach)]).toEqual([false, true]);
  const journal = readFileSync(join(lab.env["XDG_STATE_HOME"] ?? "", "session-warden/journal.jsonl"), "utf8");
  expect(journal.split("\n").filter((line) => line.includes(row.key))).toHaveLength(2);
});

test("Cline's hub and Codex's app server are shown as shared and never ended, with a client and without", async () => {
  const [cline, codex] = [
    await startClineInHub(lab, { name: "hub", cwd: lab.folder("cline") }),
    await startCodex(lab, { name: "codex", cwd: lab.folder("codex") }),
  ];
  const daemons = [findClineHub(lab)!, findCodexDaemon(lab)!];
  const rowsOf = async (): Promise<readonly (OrphanRow | undefined)[]> => {
    const all = await orphans();
    return daemons.map((daemon) => all.find(({ pid }) => pid === daemon.pid));
  };
  for (const row of await rowsOf()) expect([row?.protected, row?.protected_because]).toEqual([true, "others may share it"]);
  for (const { process } of [cline, codex]) signal(process, "SIGTERM");
  await untilGone([cline.process, codex.process]);
  for (const row of await rowsOf()) {
    expect(row?.protected).toBe(true);
    if (row) await isNeverEnded(row);
  }
});

test("a Claude Code that an editor runs is shown as the editor's", async () => {
  configureClaude(lab);
  const cwd = lab.folder("panel");
  const argv = ["claude", "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const program = `require("node:child_process").spawn(${JSON.stringify(argv[0])}, ${JSON.stringify(argv.slice(1))}, { stdio: ["pipe", "ignore", "ignore"] }); setInterval(() => {}, 60_000);`;
  const env = { ...lab.env, ...quietClaude, CLAUDE_CODE_ENTRYPOINT: "claude-vscode" };
  const editor = spawn(process.execPath, ["-e", program, "x", "--type=extensionHost"], { cwd, env, detached: true, stdio: "ignore" });
  const agent = await until(() => treeOf(editor.pid ?? 0).find(({ comm }) => comm === "claude"));
  const row = await until(async () => (await orphans()).find(({ pid }) => pid === agent.pid));
  expect([row.protected, row.protected_because]).toEqual([true, expect.stringContaining("an editor runs it: ")]);
  await isNeverEnded(row);
});

test("since when a Claude Code is idle is in its file, and does not move while nothing happens in it; reclaimed, it has left and can be resumed", async () => {
  const agent = await startClaude(lab, { name: "idle", cwd: lab.folder("idle") });
  await say(agent, "hello idle");
  const since = await until(() => (claudeFile(agent).status === "idle" ? claudeFile(agent).statusUpdatedAt : undefined));
  expect(Math.abs(Date.now() - since)).toBeLessThan(60_000);
  expect(await stays(() => claudeFile(agent).statusUpdatedAt === since, 3_000)).toBe(true);
  const plan = await warden(lab, "reclaim", "--idle-hours", "0.0001", "--dry-run", "--json");
  const { agents } = JSON.parse(plan.stdout) as {
    readonly agents: readonly { readonly process: string; readonly idle_since: string; readonly memory_bytes: number }[];
  };
  const mine = agents.find(({ process }) => process === `claude (${agent.process.pid})`);
  expect([mine?.idle_since, (mine?.memory_bytes ?? 0) > 20e6]).toEqual([new Date(since).toISOString(), true]);

  // As if that were ten years ago: nobody else's agent is ever meant by nine.
  const file = join(lab.home, `.claude/sessions/${agent.process.pid}.json`);
  writeFileSync(file, JSON.stringify({ ...claudeFile(agent), statusUpdatedAt: since - 10 * 365 * 24 * 3_600_000 }));
  const done = await warden(lab, "reclaim", "--idle-hours", String(9 * 365 * 24), "--yes", "--json");
  const told = JSON.parse(done.stdout) as {
    readonly memory_bytes_freed: number;
    readonly sessions: readonly { readonly outcome: string; readonly receipt: { readonly captured_id: string } }[];
  };
  expect([done.code, told.sessions.map(({ outcome }) => outcome), told.memory_bytes_freed > 20e6, isAlive(agent.process)]).toEqual([
    0,
    ["stopped"],
    true,
    false,
  ]);
  expect(findTranscript(lab, told.sessions[0]?.receipt.captured_id ?? "")).toBeDefined();
});
