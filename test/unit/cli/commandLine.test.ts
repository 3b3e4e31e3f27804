import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProcess, kill } from "../../../scripts/ownProcesses.ts";
import { openStage, until } from "../../support/stage.ts";
import type { Listed, Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const now = async ({ key }: Listed): Promise<Listed | undefined> => (await stage.list()).find((session) => session.key === key);
const killHard = ({ pid }: Listed): void => {
  const found = findProcess(pid ?? 0);
  if (!found) throw new Error("it is gone already");
  kill(found);
};

test("what is not there is 1, what is not named is 2, and both say so", async () => {
  const unknown = await stage.warden(["stop", "process:1-1"]);
  expect([unknown.code, unknown.stderr]).toEqual([1, "There is no session process:1-1. Refresh the list to see what there is."]);
  for (const args of [["stop"], ["stop", "a", "--session", "b"], ["stop", "a", "--no-such-option"], ["nonsense"]])
    expect([args, (await stage.warden(args)).code]).toEqual([args, 2]);
});

test("a name of two sessions is ambiguous: nothing is done, and both keys are told", async () => {
  const sessions = [await stage.startInPane("twin a", "claude", { subject: "twins" }), await stage.startInPane("twin b", "claude", { subject: "twins" })];
  const answer = await stage.warden(["stop", "twins", "--yes"]);
  expect(answer.code).toBe(2);
  for (const { key, pid } of sessions) expect([answer.stderr.includes(key), findProcess(pid ?? 0) !== undefined]).toEqual([true, true]);
  expect((await stage.warden(["stop", sessions[0]?.conversation_id ?? "", "--yes"])).code).toBe(0);
});

test("in the middle of a turn it asks for --yes first", async () => {
  const session = await stage.startInPane("mid turn", "claude", { mode: "working", subject: "mid turn" });
  const asked = await stage.warden(["stop", session.key]);
  expect([asked.code, asked.stderr]).toEqual([
    3,
    "“mid turn”: It is in the middle of a turn; the rest of the answer is lost. Run it again with --yes to do it.",
  ]);
  expect(findProcess(session.pid ?? 0)).toBeDefined();
  expect((await stage.warden(["stop", session.key, "--yes"])).code).toBe(0);
});

test("an idle, resumable session is stopped without a question, by the name of its tmux session too", async () => {
  await stage.startInPane("by name", "claude", { subject: "yes" });
  expect((await stage.warden(["stop", "--session", "by name"])).code).toBe(0);
});

test("a title is no name: what an agent is only called now is not stopped by it unasked", async () => {
  const session = await stage.startInPane("called yes", "claude", { subject: "yes, do it" });
  const asked = await stage.warden(["stop", "yes, do it"]);
  expect([asked.code, asked.stderr]).toEqual([
    3,
    `“yes, do it”: It was found by its title alone; its key is ${session.key}. Run it again with --yes to do it.`,
  ]);
  expect(findProcess(session.pid ?? 0)).toBeDefined();
  expect((await stage.warden(["stop", "yes, do it", "--yes"])).code).toBe(0);
});

test("a name that a person gave goes before what the agent calls it", async () => {
  const session = await stage.startInPane("prompted", "claude", { subject: "twins again" });
  await stage.startInPane("twins again", "claude", { subject: "another" });
  expect((await stage.warden(["stop", "twins again"])).code).toBe(0);
  expect(findProcess(session.pid ?? 0)).toBeDefined();
});

test("folder names and titles can't forge a row", async () => {
  const cwd = join(stage.work, "a\nNeeds you  9");
  mkdirSync(cwd);
  await stage.startInPane("forged", "claude", { subject: "title\nNeeds you  8", cwd });
  expect((await stage.warden(["list"])).stdout.split("\n").filter((line) => /^Needs you {2}[89]/.test(line))).toEqual([]);
});

test("an unwritable state folder is said in one sentence, and nothing is done", async () => {
  const session = await stage.startInPane("unwritable", "claude", { subject: "unwritable" });
  writeFileSync(join(stage.folder, "a-file"), "");
  const answer = await stage.warden(["stop", session.key, "--yes"], { XDG_STATE_HOME: join(stage.folder, "a-file") });
  expect([answer.code, answer.stderr.includes("the state folder can't be written"), answer.stderr.includes("    at ")]).toEqual([1, true, false]);
  expect(findProcess(session.pid ?? 0)).toBeDefined();
});

test("--version is the manifest's", async () => {
  expect((await stage.warden(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+$/);
});

test("where no file of the agent's names the process, a name is no warrant: the process is told, and its key or --yes names it", async () => {
  const session = await stage.startInPane("no warrant", "gemini", { subject: "no warrant" });
  const asked = await stage.warden(["terminate", "no warrant", "--json"]);
  expect([asked.code, asked.stdout.includes(`gemini (${session.pid})`)]).toEqual([3, true]);
  expect((await stage.warden(["stop", session.key, "--yes"])).code).toBe(0);
});

test("two at once: one acts, the other is told busy", async () => {
  const session = await stage.startInPane("slow", "claude", { subject: "slow", exitMs: 1_500 });
  const answers = await Promise.all([stage.warden(["stop", session.key, "--json"]), stage.warden(["stop", session.key, "--json"])]);
  expect(answers.map((answer) => answer.json().reason ?? answer.json().status).sort()).toEqual(["busy", "success"]);
  expect(answers.map(({ code }) => String(code)).sort()).toEqual(["0", "1"]);
});

test("killed agents are exited with the reason, stop closes their books, and their conversation can be taken up again", async () => {
  const session = await stage.startInPane("killed", "claude", { subject: "flaky test hunt" });
  killHard(session);
  await until(async () => (await now(session))?.status === "exited");
  expect(await now(session)).toMatchObject({ title: "flaky test hunt", why: `process ${session.pid} is gone`, conversation_id: session.conversation_id });
  const receipt = (await stage.warden(["stop", session.key, "--json"])).json();
  expect(receipt).toMatchObject({ status: "success", termination_method: "not_needed", verification_result: "session_not_accessible" });
  expect(await now(session)).toMatchObject({ status: "stopped", why: "exited by itself" });
  const command = await stage.warden(["resume", session.key, "--print"]);
  expect(command.stdout).toBe(`cd -- ${stage.work} && claude --resume ${session.conversation_id}`);
});

test("finalize leaves a living session alone", async () => {
  const session = await stage.startInPane("living", "claude", { subject: "living" });
  const answer = await stage.warden(["finalize", session.key, "--json"]);
  expect([answer.code, answer.json().reason]).toEqual([1, "stillAlive"]);
  expect((await now(session))?.status).toBe("idle");
});

test("an id that nothing tells is not captured, and says so", async () => {
  const session = await stage.startInPane("untold", "cline", { mode: "tellAtExit", subject: "untold" });
  const answer = await stage.warden(["capture-id", session.key, "--json"]);
  expect([answer.code, answer.json().status, answer.json().captured_id]).toEqual([1, "failed", null]);
});

test("never what runs the command line itself", async () => {
  const program = join(stage.folder, "self/node_modules/@anthropic-ai/claude-code/cli.js");
  const said = join(stage.folder, "self/said");
  mkdirSync(join(program, ".."), { recursive: true });
  writeFileSync(join(program, "../package.json"), JSON.stringify({ name: "@anthropic-ai/claude-code" }));
  const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
  writeFileSync(
    program,
    `const { spawn } = require("node:child_process"); const { writeFileSync } = require("node:fs"); let out = "";
     const child = spawn(process.execPath, [${JSON.stringify(cli)}, "terminate", String(process.pid), "--yes", "--json"]);
     child.stdout.on("data", (text) => (out += text)); child.on("exit", (code) => writeFileSync(${JSON.stringify(said)}, JSON.stringify({ code, out }))); setInterval(() => {}, 1000);`,
  );
  const pane = stage.tmux("new-session", "-d", "-P", "-F", "#{pane_pid}", "-s", "self", "-c", stage.work, process.execPath, program).trim();
  const { code, out } = await until(
    async () => JSON.parse(await import("node:fs/promises").then(({ readFile }) => readFile(said, "utf8"))) as { code: number; out: string },
  );
  expect([code, (JSON.parse(out) as { reason: string }).reason]).toEqual([1, "protected"]);
  expect(findProcess(Number(pane))).toBeDefined();
});
