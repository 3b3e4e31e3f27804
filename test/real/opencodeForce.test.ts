import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { isAlive } from "./support/processes.ts";
import { isOver, operate, untilRow, untilRunning } from "./support/serverRows.ts";
import { stays, until } from "./support/until.ts";
import { warden } from "./support/warden.ts";

// A real OpenCode session that begins anew as often as it is stopped, as a plugin or a script makes it: what ends it ends others too, and says whom.

let lab: Lab;
let server: OpencodeServer;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
});
beforeEach(async () => {
  lab = await startLab();
  server = await startServer(lab, { folder: lab.work });
});
afterEach(() => lab.close());

describe("A session that a plugin of its folder begins again", () => {
  test("is not said to be stopped, and ends with all of its folder only when that is asked for", async () => {
    const folder = lab.folder("goes on");
    addPlugin(
      folder,
      whenIdle("goes on", `await client.session.promptAsync({ path: { id: data.id }, body: { parts: [{ type: "text", text: "SLOW 300" }] } });`),
    );
    const [id, beside, elsewhere] = [
      await server.session("goes on", { folder }),
      await server.session("beside it", { folder }),
      await server.session("elsewhere"),
    ];
    await server.ask(beside, "HANG beside");
    await server.ask(elsewhere, "HANG elsewhere");
    await server.ask(id, "SLOW 300");
    await untilRow(lab, id, "working");

    for (const verb of ["stop", "terminate"] as const) {
      const receipt = await operate(lab, verb, id);
      expect(receipt, verb).toMatchObject({ code: 1, status: "partial" });
      expect(receipt.survivors.map(({ name }) => name).join(), verb).toContain("turn");
      await until(async () => (await server.status(folder))[id]?.type === "busy");
      expect(Object.keys(await server.status(folder)).toSorted()).toEqual([id, beside].toSorted());
    }

    const unasked = await warden(lab, "terminate", `opencode:${id}`, "--reach", "directory", "--json");
    expect(unasked.code).toBe(3);
    expect(unasked.stdout).toContain("beside it");
    expect(unasked.stdout).not.toContain("elsewhere");
    expect((await server.status(folder))[beside]).toEqual({ type: "busy" });

    const receipt = await operate(lab, "terminate", id, "--reach", "directory");
    expect(receipt, JSON.stringify(receipt)).toMatchObject({ code: 0, status: "success", termination_method: "forced" });
    expect(
      await stays(
        () =>
          openTurns(lab.model)
            .map(({ userText }) => userText)
            .join() === "HANG elsewhere",
        3_000,
      ),
    ).toBe(true);
    expect(await server.status()).toEqual({ [elsewhere]: { type: "busy" } });
    expect(isAlive(server.process)).toBe(true);
    await operate(lab, "stop", elsewhere);
    await isOver(server);
    expect(JSON.stringify([receipt.steps, receipt.warnings])).toContain("beside it");
  });
});

test("A server that hangs when it is asked ends only when that is asked for, with all that it ran, and whom it ends is said", async () => {
  const folder = lab.folder("hangs");
  addPlugin(folder, whenIdle("hangs", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"));
  const other = await startServer(lab, { folder: lab.folder("other") });
  const theirs = await other.session("theirs");
  await other.ask(theirs, "HANG theirs");
  const id = await server.session("hangs", { folder });
  await server.ask(await server.session("with a command"), "BASH sleep 6301");
  const command = await untilRunning(lab, "sleep 6301");
  await server.ask(id, "SLOW 301");
  await untilRow(lab, id, "working");

  const unasked = await warden(lab, "terminate", `opencode:${id}`, "--reach", "server", "--json");
  expect(unasked.code).toBe(3);
  expect(unasked.stdout).toContain("with a command");
  expect(unasked.stdout).not.toContain("theirs");
  expect(await server.status(folder)).toEqual({ [id]: { type: "busy" } });

  const receipt = await operate(lab, "terminate", id, "--reach", "server");
  expect(isAlive(server.process)).toBe(false);
  expect(receipt, JSON.stringify(receipt)).toMatchObject({ code: 0, status: "success", termination_method: "forced" });
  expect(await other.status()).toEqual({ [theirs]: { type: "busy" } });
  await operate(lab, "stop", theirs);
  await isOver(other);
  expect(JSON.stringify([receipt.steps, receipt.warnings])).toContain("with a command");
  // Nobody is left who would end it: a server that is killed leaves what its tools run.
  expect(isAlive(command), JSON.stringify(receipt)).toBe(false);
});

test("Of a server that hangs when it is asked, nothing is said to have stopped", async () => {
  const folder = lab.folder("hangs");
  addPlugin(folder, whenIdle("hangs", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"));
  const id = await server.session("hangs", { folder });
  await server.ask(id, "SLOW 302");
  const receipt = await operate(lab, "stop", id);
  expect(receipt, JSON.stringify(receipt)).toMatchObject({ code: 1, verification_result: "session_may_still_exist" });
  expect(receipt.status).toMatch(/^(partial|failed)$/);
  expect(isAlive(server.process)).toBe(true);
});

/** What a plugin does when the session of that title has become idle. */
function whenIdle(title: string, does: string): string {
  return `export const plugin = async ({ client }) => ({
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    const { data } = await client.session.get({ path: { id: event.properties.sessionID } });
    if (data?.title !== ${JSON.stringify(title)}) return;
    ${does}
  },
});
`;
}

function addPlugin(folder: string, text: string): void {
  mkdirSync(join(folder, ".opencode/plugin"), { recursive: true });
  writeFileSync(join(folder, ".opencode/plugin/p.js"), text);
}
