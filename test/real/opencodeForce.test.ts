import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
beforeEach(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
  server = await startServer(lab, { folder: lab.work });
});
afterEach(() => lab.close());

describe("A session that a plugin of its folder begins again", () => {
  test("is not said to be stopped, and ends with all of its folder only when that is asked for", async () => {
    const folder = folderThatGoesOn("goes on");
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
    expect(JSON.stringify([receipt.steps, receipt.warnings])).toContain("beside it");
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
  });
});

test("A session that a script begins again ends with its server only when that is asked for, and with what the server ran", async () => {
  const folder = lab.folder("of a script");
  const other = await startServer(lab, { folder: lab.folder("other") });
  const theirs = await other.session("theirs");
  await other.ask(theirs, "HANG theirs");
  const id = await server.session("of a script", { folder });
  const withCommand = await server.session("with a command");
  await server.ask(withCommand, "BASH sleep 6301");
  const command = await untilRunning(lab, "sleep 6301");
  await server.ask(id, "SLOW 301");
  const script = beginAgain(id, folder);
  try {
    expect(await operate(lab, "terminate", id, "--reach", "directory")).toMatchObject({ code: 1 });
    expect(isAlive(command)).toBe(true);

    const unasked = await warden(lab, "terminate", `opencode:${id}`, "--reach", "server", "--json");
    expect(unasked.code).toBe(3);
    expect(unasked.stdout).toContain("with a command");
    expect(isAlive(server.process)).toBe(true);

    const receipt = await operate(lab, "terminate", id, "--reach", "server");
    expect(receipt, JSON.stringify(receipt)).toMatchObject({ code: 0, status: "success", termination_method: "forced" });
    expect(JSON.stringify([receipt.steps, receipt.warnings])).toContain("with a command");
  } finally {
    script.end();
  }
  expect([server.process, command].filter(isAlive)).toEqual([]);
  expect(await other.status()).toEqual({ [theirs]: { type: "busy" } });
  await operate(lab, "stop", theirs);
  await isOver(other);
});

/** A folder whose plugin prompts a session of the name that goes on, as often as that is idle. */
function folderThatGoesOn(name: string): string {
  const folder = lab.folder(name);
  mkdirSync(join(folder, ".opencode/plugin"), { recursive: true });
  const plugin = `export const again = async ({ client }) => ({
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    const { data } = await client.session.get({ path: { id: event.properties.sessionID } });
    if (data?.title !== ${JSON.stringify(name)}) return;
    await client.session.promptAsync({ path: { id: data.id }, body: { parts: [{ type: "text", text: "SLOW 300" }] } });
  },
});
`;
  writeFileSync(join(folder, ".opencode/plugin/again.js"), plugin);
  return folder;
}

function beginAgain(id: string, folder: string): { end(): void } {
  const over = new AbortController();
  const go = async () => {
    while (!over.signal.aborted) {
      if (!(id in (await server.status(folder)))) await server.prompt(id, "SLOW 301");
      await stays(() => !over.signal.aborted, 100);
    }
  };
  // It has nobody to talk to when the server has ended.
  go().catch(() => {});
  return { end: () => over.abort() };
}
