import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { turnsOf } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { isAlive, untilGone } from "./support/processes.ts";
import { isOver, operate, serverRows, untilRow, untilRunning } from "./support/serverRows.ts";
import { until } from "./support/until.ts";
import type { Stopped } from "./support/warden.ts";
import { warden } from "./support/warden.ts";

// `session-warden cleanup` on real OpenCode servers: what it says is gone, the server's own API does not find, and nothing else is touched.

let lab: Lab;
let server: OpencodeServer;
let env: string;
let details: string;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
  server = await startServer(lab, { folder: lab.work });
  env = join(lab.root, "async-sessions.env");
  details = join(lab.root, "async-sessions-details.json");
});
afterAll(() => lab.close());

describe("A clean-up", () => {
  test("deletes a session that does nothing, its children, and its lines in the tracking files", async () => {
    const id = await server.session("idle");
    const child = await server.session("part of it", { parent: id });
    const kept = await server.session("kept");
    writeFileSync(env, `KEPT=${kept}\nMINE=${id}\nLONGER=${id}x\n`);
    writeFileSync(details, JSON.stringify([{ session_id: id }, { session_id: kept, note: 1 }]));

    expect(await cleanUp(id, "--tag", "mine")).toMatchObject({ ...done, tag: "mine", session_existed: true, tracking_cleanup_success: true });
    await expectDeleted(id, child);
    expect(await server.find(kept)).toMatchObject({ status: 200 });
    expect(readFileSync(env, "utf8")).toBe(`KEPT=${kept}\nLONGER=${id}x\n`);
    expect(JSON.parse(readFileSync(details, "utf8"))).toEqual([{ session_id: kept, note: 1 }]);
  });

  test("first ends what streams, with its sub-agent, and leaves its neighbour at work", async () => {
    const folder = lab.folder("with a sub-agent");
    const neighbour = await server.session("neighbour");
    await server.ask(neighbour, "SLOW 109");
    const id = await server.session("parent", { folder });
    await server.ask(id, "TASK SLOW 110");
    await until(() => turnsOf(lab.model).some(({ userText }) => userText === "SLOW 110"));
    const child = Object.keys(await server.status(folder)).find((each) => each !== id) ?? "none";

    expect(await cleanUp(id)).toMatchObject({ ...done, session_existed: true, termination_method: "graceful" });
    await expectDeleted(id, child);
    expect(await server.status(folder)).toEqual({});
    expect(await server.status()).toEqual({ [neighbour]: { type: "busy" } });
    expect(turnsOf(lab.model).filter(({ state }) => state === "open")).toMatchObject([{ userText: "SLOW 109" }]);
    await operate(lab, "stop", neighbour);
    await isOver(server);
  });

  test("first ends what runs a command, with the command", async () => {
    const id = await server.session("with a command");
    await server.ask(id, "BASH sleep 6401");
    const command = await untilRunning(lab, "sleep 6401");
    expect(await cleanUp(id)).toMatchObject({ ...done, session_existed: true });
    expect(isAlive(command)).toBe(false);
    await expectDeleted(id);
    await isOver(server);
  });

  test("ends what somebody has deleted while it ran", async () => {
    const id = await server.session("ghost");
    await server.ask(id, "BASH sleep 6402");
    const command = await untilRunning(lab, "sleep 6402");
    await server.call("DELETE", `/session/${id}`);
    expect(await cleanUp(id)).toMatchObject(done);
    await untilGone([command], 100);
    await isOver(server);
  });

  test("deletes an archived one, and one that an earlier server has left", async () => {
    const archived = await server.session("archived");
    await server.call("PATCH", `/session/${archived}`, { time: { archived: Date.now() } });
    const earlier = await startServer(lab, { folder: lab.folder("earlier") });
    const left = await earlier.session("left");
    await earlier.end();
    for (const id of [archived, left]) expect(await cleanUp(id)).toMatchObject({ ...done, session_existed: true });
    await expectDeleted(archived, left);
  });

  test("of what another server runs ends it there", async () => {
    const other = await startServer(lab, { folder: lab.folder("other") });
    const id = await other.session("on the other");
    await other.ask(id, "SLOW 111");
    expect(await cleanUp(id)).toMatchObject({ ...done, session_existed: true, termination_method: "graceful" });
    await expectDeleted(id);
    await isOver(other);
    await other.end();
  });

  test.for(["", "--force", "--no-verify"])("of an id that no server has succeeds, and says that nothing was there (%s)", async (flag) => {
    const before = (await server.everySession()).length;
    expect(await cleanUp("ses_00000000000000000000000000", ...(flag === "" ? [] : [flag]))).toMatchObject({
      ...done,
      session_existed: false,
      termination_method: "not_needed",
    });
    expect((await server.everySession()).length).toBe(before);
  });

  test.for(["../etc", "-x", "ses_1/../2", "ses 1"])("of what is no id is refused as a bad argument: %s", async (id) => {
    expect(await warden(lab, "cleanup", "--json", "--tracking-env", env, "--tracking-details", details, "--", id)).toMatchObject({ code: 2 });
  });

  test("cleans up twice as well as once", async () => {
    const id = await server.session("twice");
    expect(await cleanUp(id)).toMatchObject({ ...done, session_existed: true });
    expect(await cleanUp(id)).toMatchObject({ ...done, session_existed: false });
    expect((await serverRows(lab)).some(({ key }) => key.endsWith(id))).toBe(false);
  });

  test("leaves the tracking files alone where it is told to", async () => {
    const id = await server.session("listed");
    await untilRow(lab, id, "idle");
    writeFileSync(env, `MINE=${id}\n`);
    expect(await cleanUp(id, "--no-cleanup-tracking")).toMatchObject({ ...done, cleanup_tracking_enabled: false });
    expect(readFileSync(env, "utf8")).toBe(`MINE=${id}\n`);
  });
});

const done = { code: 0, status: "success", verification_result: "session_not_accessible" };

async function cleanUp(id: string, ...flags: readonly string[]): Promise<Stopped> {
  return await operate(lab, "cleanup", id, "--tracking-env", env, "--tracking-details", details, ...flags);
}

/** As the seed proves it, and then some: what was deleted while it ran is not found either. */
async function expectDeleted(...ids: readonly string[]): Promise<void> {
  const listedNow = (await server.everySession()).map(({ id }) => id);
  for (const id of ids) {
    expect(await server.find(id)).toMatchObject({ status: 404, body: { name: "NotFoundError" } });
    expect(listedNow).not.toContain(id);
    expect(await server.active()).not.toContain(id);
  }
}
