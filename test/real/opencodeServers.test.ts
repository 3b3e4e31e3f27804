import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { isAlive, treeOf } from "./support/processes.ts";
import { endsWell, isOver, operate, serverRows, untilRow, untilRunning } from "./support/serverRows.ts";
import { until } from "./support/until.ts";
import { warden } from "./support/warden.ts";

// Two real OpenCode servers on one database: each lists the other's sessions, says that they are idle, and answers "true" when asked to stop them.

let lab: Lab;
let one: OpencodeServer;
let other: OpencodeServer;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
  one = await startServer(lab, { folder: lab.folder("one") });
  other = await startServer(lab, { folder: lab.folder("other") });
});
afterAll(() => lab.close());

describe("Of two servers on one database", () => {
  test.for(["only one has the folder open", "both have the folder open"])("the one that runs a session is asked: %s", async (how) => {
    const folder = lab.folder(how);
    if (how.startsWith("both")) await other.session("neighbour", { folder });
    const id = await one.session(how, { folder });
    await one.ask(id, "SLOW 100");
    expect(await other.status(folder)).toEqual({});
    expect(await untilRow(lab, id, "working")).toMatchObject({ server: { url: one.url, pid: one.process.pid } });
    await endsWell(one, id, { folder });
  });

  test("the wrong one is not believed, though it is the one that was named", async () => {
    const id = await one.session("named wrongly");
    await one.ask(id, "SLOW 100");
    const answer = await warden(lab, "--server-url", other.url, "stop", `opencode:${id}`, "--yes", "--json");
    expect(answer.json()).toMatchObject({ status: "success" });
    await isOver(one);
  });

  test("each stops what it runs, and goes on with the rest", async () => {
    const [mine, theirs] = [await one.session("mine"), await other.session("theirs")];
    await one.ask(mine, "SLOW 101");
    await other.ask(theirs, "SLOW 102");
    expect(await operate(lab, "stop", theirs)).toMatchObject({ status: "success", code: 0 });
    expect(await other.status()).toEqual({});
    expect(await one.status()).toEqual({ [mine]: { type: "busy" } });
    expect(openTurns(lab.model).map(({ userText }) => userText)).toEqual(["SLOW 101"]);
    await endsWell(one, mine);
  });
});

describe("A session that was deleted while it ran is listed, and ended", () => {
  test("when it streams", async () => {
    const id = await one.session("ghost");
    await one.ask(id, "SLOW 103");
    await one.call("DELETE", `/session/${id}`);
    expect(await one.find(id)).toMatchObject({ status: 404 });
    expect(await one.status()).toEqual({ [id]: { type: "busy" } });
    expect(await untilRow(lab, id, "working")).toMatchObject({ cwd: one.folder, server: { url: one.url } });
    await endsWell(one, id);
    await untilNoRow(id);
  });

  test("with its command, in a folder that is not the server's own", async () => {
    const folder = lab.folder("of a ghost");
    const id = await one.session("ghost with a command", { folder });
    await one.ask(id, "BASH sleep 6201");
    await untilRunning(lab, "sleep 6201");
    await one.call("DELETE", `/session/${id}`);
    const children = treeOf(one.process.pid).slice(1);
    await untilRow(lab, id, "working");
    await endsWell(one, id, { folder, children });
  });

  test("when another server has deleted it, which knows nothing of the run", async () => {
    const folder = lab.folder("deleted by the other");
    const id = await one.session("deleted by the other", { folder });
    await one.ask(id, "SLOW 104");
    expect(await other.call("DELETE", `/session/${id}`)).toMatchObject({ status: 200, body: true });
    expect(await one.status(folder)).toEqual({ [id]: { type: "busy" } });
    expect(await untilRow(lab, id, "working")).toMatchObject({ server: { url: one.url, pid: one.process.pid } });
    await endsWell(one, id, { folder });
  });
});

test("A server that has ended takes its rows with it, and nothing of them is said to run", async () => {
  const brief = await startServer(lab, { folder: lab.folder("brief") });
  const id = await brief.session("unfinished");
  await brief.ask(id, "SLOW 105");
  await untilRow(lab, id, "working");
  await brief.end("SIGKILL");
  expect(isAlive(brief.process)).toBe(false);
  const row = (await serverRows(lab)).find(({ key }) => key === `opencode:${id}`);
  expect(row?.status).not.toMatch(/working|needsInput/);
  const receipt = await operate(lab, "stop", id);
  expect(receipt.termination_method).not.toBe("graceful");
});

async function untilNoRow(id: string): Promise<void> {
  await until(async () => !(await serverRows(lab)).some(({ key }) => key === `opencode:${id}`));
}
