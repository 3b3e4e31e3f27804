import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { turnsOf } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { inFolder, startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { environmentOf, isAlive, signal, treeOf, untilGone } from "./support/processes.ts";
import type { ProcessIdentity } from "./support/processes.ts";
import { endsWell, findRunning, isOver, operate, untilRow, untilRunning } from "./support/serverRows.ts";
import { until } from "./support/until.ts";

// The product stops what a real OpenCode server runs. Each test leaves the server with nothing that runs.

let lab: Lab;
let server: OpencodeServer;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
  server = await startServer(lab, { folder: lab.work });
});
afterAll(() => lab.close());

describe("A session of a server is stopped", () => {
  test("when it streams", async () => {
    const id = await asked("streaming", "SLOW 100");
    expect(await untilRow(lab, id, "working")).toMatchObject({ agent: "opencode", cwd: lab.work, server: { url: server.url, pid: server.process.pid } });
    expect(await endsWell(server, id)).toMatchObject({ termination_method: "graceful" });
    await untilRow(lab, id, "idle");
  });

  test("when its model sends nothing", async () => {
    const id = await asked("hung", "HANG");
    await untilRow(lab, id, "working");
    await endsWell(server, id);
  });

  test("when its model is to be asked again later", async () => {
    const id = await asked("retry", "HTTP 429 90");
    await until(async () => (await server.status())[id]?.type === "retry");
    await untilRow(lab, id, "working");
    await endsWell(server, id);
  });

  test("when it waits for a permission, and what it asked for does not run", async () => {
    const id = await server.session("asking", { isAsking: true });
    await server.ask(id, "BASH sleep 6101");
    await until(async () => (await waiting()).includes(id));
    await untilRow(lab, id, "needsInput");
    await endsWell(server, id);
    expect(findRunning(lab, "sleep 6101")).toBeUndefined();
  });

  test("with the command that it runs", async () => {
    const { id, children } = await running("sleeping", "sleep 6102", "sleep 6102");
    await endsWell(server, id, { children });
  });

  test("with a command that ignores to be asked", async () => {
    const { id, children } = await running("stubborn", "trap '' TERM; sleep 6103; true", "sleep 6103");
    expect(children).toHaveLength(2);
    await endsWell(server, id, { children });
  });

  test("and what left its process group lives on, and is named", async () => {
    const { id, children } = await running("apart", "setsid sleep 6104 & sleep 6105", "sleep 6104", "sleep 6105");
    const apart = await untilRunning(lab, "sleep 6104");
    expect(environmentOf(apart.pid)["OPENCODE_PID"]).toBe(String(server.process.pid));
    const receipt = await operate(lab, "stop", id);
    expect(children.filter((each) => each.pid !== apart.pid && isAlive(each))).toEqual([]);
    expect(isAlive(apart)).toBe(true);
    expect(JSON.stringify([receipt.warnings, receipt.survivors])).toContain(String(apart.pid));
    await isOver(server);
    signal(apart, "SIGKILL");
    await untilGone([apart]);
  });

  test("of the second engine, which the classic calls do not see", async () => {
    const id = await server.askSecondEngine("SLOW 106");
    expect([await server.active(), await server.status()]).toEqual([[id], {}]);
    await untilRow(lab, id, "working");
    await endsWell(server, id);
  });

  test("with its sub-agent, which is a row below it", async () => {
    const id = await asked("parent", "TASK SLOW 107");
    await until(() => turnsOf(lab.model).some(({ userText }) => userText === "SLOW 107"));
    const child = Object.keys(await server.status()).find((each) => each !== id) ?? "none";
    await untilRow(lab, id, "working");
    expect(await untilRow(lab, child, "working")).toMatchObject({ parent: `opencode:${id}` });
    await endsWell(server, id);
  });
});

test("A folder's first session, stopped right after its first prompt, does not begin afterwards", async () => {
  const before = await startServer(lab, { folder: lab.folder("before") });
  const folder = lab.folder("cold");
  const id = await before.session("cold", { folder });
  await before.end();
  // The prompt is taken some while before the session is busy.
  await server.prompt(id, "SLOW 108");
  await until(async () => (await operate(lab, "stop", id)).status === "success");
  await isOver(server, folder);
});

test("One that does nothing needs no stop, and is asked for nothing", async () => {
  const id = await asked("idle", "hello");
  await until(async () => !(id in (await server.status())));
  await untilRow(lab, id, "idle");
  const receipt = await operate(lab, "stop", id);
  expect(receipt).toMatchObject({ code: 0, status: "success", termination_method: "not_needed", survivors: [] });
  await untilRow(lab, id, "idle");
});

async function asked(title: string, text: string): Promise<string> {
  const id = await server.session(title);
  await server.ask(id, text);
  return id;
}

interface Running {
  readonly id: string;
  readonly children: readonly ProcessIdentity[];
}

/** Resolves when the session is listed with a command that runs in these processes, and maybe in a shell around them. */
async function running(title: string, command: string, ...commandLines: readonly string[]): Promise<Running> {
  const id = await asked(title, `BASH ${command}`);
  for (const line of commandLines) await untilRunning(lab, line);
  await untilRow(lab, id, "working");
  return { id, children: treeOf(server.process.pid).slice(1) };
}

async function waiting(): Promise<readonly string[]> {
  const { body } = await server.call("GET", `/permission?${inFolder(lab.work)}`);
  return (body as readonly { readonly sessionID: string }[]).map(({ sessionID }) => sessionID);
}
