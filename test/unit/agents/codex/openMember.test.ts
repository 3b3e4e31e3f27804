import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import { eraseAll } from "../aHome.ts";
import { eachInAPlace, id, planFor, putConversation, transcriptIn } from "./codexHome.ts";

const place = eachInAPlace();
const member = "01a22a3e-7c72-7963-9cb4-583170122177";

test("nothing of a conversation is deleted while a sub-agent of it is open in a window of its own; Codex's server is no window", async () => {
  const { home } = place();
  await putConversation(home, { id: member, text: "taken up", meta: { parent_thread_id: id } });
  const lock = join(home, "thread-writer-locks", `${member}.lock`);
  const script = `require("fs").openSync(${JSON.stringify(lock)}, "r+"); console.log("holds"); setInterval(() => {}, 60_000)`;
  const plan = await planFor(home, id);
  expect(plan.family).toEqual([member]);
  const window = await startChild([process.execPath, "-e", script]);
  await until(() => window.said().includes("holds"));
  const whys = new Set((await eraseAll(plan)).map(([, outcome]) => outcome));
  expect([...whys]).toEqual([`its sub-agent ${member} is open in process ${window.pid}`]);
  expect(existsSync(transcriptIn(home, id)) && existsSync(transcriptIn(home, member))).toBe(true);
  window.process.kill();
  await window.ended;
  const server = await startChild([process.execPath, "-e", script, "app-server"]);
  await until(() => server.said().includes("holds"));
  await eraseAll(await planFor(home, id));
  expect(existsSync(transcriptIn(home, member))).toBe(false);
});
