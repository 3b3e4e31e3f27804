import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { say, stream } from "./support/agents/agent.ts";
import { startOpencode } from "./support/agents/opencode.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { isAlive } from "./support/processes.ts";
import { operate, serverRows, untilRow } from "./support/serverRows.ts";
import { stopsWell } from "./support/stops.ts";
import { until } from "./support/until.ts";

// A real OpenCode window listens on nothing. A server on the same database lists what it runs, says that it is idle, and would delete it while it runs.

let lab: Lab;
let server: OpencodeServer;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
  server = await startServer(lab, { folder: lab.work });
});
afterAll(() => lab.close());

test("What a window without a port runs is neither said to be idle, nor cleaned up while it runs; the window is stopped as a process", async () => {
  const agent = await startOpencode(lab, { name: "window", cwd: lab.folder("window") });
  await say(agent, "hello window");
  await stream(agent);
  const id = (await server.everySession()).find(({ directory }) => directory === agent.cwd)?.id ?? "none";
  expect(await server.status(agent.cwd)).toEqual({});

  await untilRow(lab, id, "unknown");
  expect(await operate(lab, "stop", id)).toMatchObject({ code: 1, status: "refused" });
  for (const flags of [[], ["--no-verify"]]) {
    const receipt = await operate(lab, "cleanup", id, "--no-cleanup-tracking", ...flags);
    expect(receipt).toMatchObject({ code: 1, verification_result: "session_may_still_exist" });
    expect(receipt.status).toMatch(/^(refused|partial)$/);
  }
  expect((await server.everySession()).map((each) => each.id)).toContain(id);
  expect([isAlive(agent.process), openTurns(lab.model).length]).toEqual([true, 1]);

  const { receipt } = await stopsWell(agent, "open");
  expect(receipt).toMatchObject({ captured_id: id });
  await until(async () => !(await serverRows(lab)).some(({ key, status }) => key === `opencode:${id}` && status === "unknown"));
  expect(await operate(lab, "cleanup", id, "--no-cleanup-tracking")).toMatchObject({ code: 0, status: "success", session_existed: true });
  expect(await server.find(id)).toMatchObject({ status: 404 });
});

test("A window with a port is a server too: its turn is ended, and the window stays", async () => {
  const agent = await startOpencode(lab, { name: "with a port", cwd: lab.folder("with a port"), args: ["--port", String(lab.freePort)] });
  await stream(agent);
  const id = (await server.everySession()).find(({ directory }) => directory === agent.cwd)?.id ?? "none";
  expect(await untilRow(lab, id, "working")).toMatchObject({ server: { pid: agent.process.pid } });
  expect(await operate(lab, "stop", id)).toMatchObject({ code: 0, status: "success" });
  await until(() => openTurns(lab.model).length === 0, 2_000);
  expect(isAlive(agent.process)).toBe(true);
});
