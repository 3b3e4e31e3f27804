import { afterAll, beforeAll, expect, test } from "vitest";
import { eventsOf, followAsEditor } from "./support/follow.ts";
import type { Followed, LiveRow, ServerEvent } from "./support/follow.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { inFolder, startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { until } from "./support/until.ts";

// What a real OpenCode server begins is in the editor's list within a second of the server's own event, in a folder that it opens only then.

const withinMs = 1_000;
let lab: Lab;
let server: OpencodeServer;
let events: readonly ServerEvent[];
let followed: Followed;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  lab = await startLab();
  server = await startServer(lab, { folder: lab.work });
  events = await eventsOf(server);
  followed = await followAsEditor(lab);
});
afterAll(() => lab.close());

test.for([
  ["at work", "SLOW 100", isStatus("busy"), (row: LiveRow) => row.status === "working"],
  ["to try again", "HTTP 429 100", isStatus("retry"), (row: LiveRow) => row.status === "working" && row.why.includes("fake 429")],
  ["asking for a permission", "BASH echo hello", isOf("permission.asked"), (row: LiveRow) => row.status === "needsInput" && row.asks === "bash"],
  ["asking a question", "ASKQ", isOf("question.asked"), (row: LiveRow) => row.status === "needsInput"],
] as const)("A session that is %s is shown so, and as idle when it is over", async ([what, text, isBegun, isShown]) => {
  const folder = lab.folder(what);
  const id = await server.session(what, { folder, isAsking: true });
  await server.ask(id, text);
  await expectShown(id, isBegun, isShown);
  await server.call("POST", `/session/${id}/abort?${inFolder(folder)}`);
  await expectShown(id, isStatus("idle"), ({ status }) => status === "idle");
});

test("A session of the second engine that is at work is shown so", async () => {
  const id = await server.askSecondEngine("SLOW 101");
  await expectShown(id, isOf("session.next.step.started"), ({ status }) => status === "working");
  await server.call("POST", `/api/session/${id}/interrupt`);
  await until(() => lastRow(id)?.status === "idle", 5_000);
});

/** The first look after the event that shows it came within the second; and the last look still shows it. */
async function expectShown(id: string, isIt: (event: ServerEvent) => boolean, isShown: (row: LiveRow) => boolean): Promise<void> {
  const event = await until(() => events.find((each) => each.properties?.sessionID === id && isIt(each)));
  const shows = ({ rows }: Followed["looks"][number]) => rows.some((row) => row.key === `opencode:${id}` && isShown(row));
  const look = await until(
    () => followed.looks.find((each) => each.at >= event.at && shows(each)),
    10_000,
    () => JSON.stringify([event, lastRow(id)]),
  );
  expect(look.at - event.at).toBeLessThan(withinMs);
}

function lastRow(id: string): LiveRow | undefined {
  return followed.looks.at(-1)?.rows.find(({ key }) => key === `opencode:${id}`);
}

function isStatus(type: string): (event: ServerEvent) => boolean {
  return (event) => event.type === "session.status" && event.properties?.status?.type === type;
}

function isOf(type: string): (event: ServerEvent) => boolean {
  return (event) => event.type === type;
}
