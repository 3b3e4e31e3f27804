import { afterAll, beforeAll, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { installRealAgents } from "./support/install.ts";
import { folderWithPlugin } from "./support/folderWithPlugin.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { inFolder, startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { operate, serverRows, untilRow } from "./support/serverRows.ts";
import type { ServerRow } from "./support/serverRows.ts";
import { until } from "./support/until.ts";

// Asking a server about a folder runs that folder's plugins: whoever only looks at a list must not have done so.

let lab: Lab;
/** It knows of the folder by the shared database, and has never opened it. */
let asked: OpencodeServer;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
  asked = await startServer(lab, { folder: lab.work });
});
afterAll(() => lab.close());

test("What an earlier server has left in a folder is listed, and stopped again, without its plugins", async () => {
  const { folder, ranBy } = folderWithPlugin(lab, "earlier");
  const earlier = await startServer(lab, { folder: lab.folder("earlier server") });
  const root = await earlier.session("root", { folder });
  const child = await earlier.session("child", { folder, parent: root });
  const archived = await earlier.session("archived", { folder });
  await earlier.call("PATCH", `/session/${archived}`, { time: { archived: Date.now() } });
  await earlier.ask(root, "hello");
  await until(async () => Object.keys(await earlier.status(folder)).length === 0);
  await earlier.end();
  expect(ranBy()).toEqual([earlier.process.pid]);

  const rows = await lookOften();
  expect(
    rows
      .filter(({ cwd }) => cwd === folder)
      .map(({ title }) => title)
      .toSorted(),
  ).toEqual(["archived", "child", "root"]);
  expect(rows.find(({ key }) => key === `opencode:${child}`)).toMatchObject({ parent: `opencode:${root}` });
  for (const id of [root, archived]) await operate(lab, "stop", id);
  expect(ranBy()).toEqual([earlier.process.pid]);
});

test("What another server runs in a folder is listed, and the plugins run there only", async () => {
  const { folder, ranBy } = folderWithPlugin(lab, "other");
  const other = await startServer(lab, { folder: lab.folder("other server") });
  const id = await other.session("at work", { folder });
  await other.ask(id, "SLOW 100");
  expect(await untilRow(lab, id, "working")).toMatchObject({ server: { url: other.url, pid: other.process.pid } });
  await lookOften();
  expect(ranBy()).toEqual([other.process.pid]);
  // What it has left unfinished nobody runs.
  await other.end("SIGKILL");
  expect((await lookOften()).find(({ key }) => key === `opencode:${id}`)?.status).not.toMatch(/working|needsInput/);
  expect(ranBy()).toEqual([other.process.pid]);
});

test("Plugins of a folder run where a server is asked about it", async () => {
  const { folder, ranBy } = folderWithPlugin(lab, "asked about");
  await asked.call("GET", `/session/status?${inFolder(folder)}`);
  expect(ranBy()).toEqual([asked.process.pid]);
});

/** More than once: the first answer may be kept, and what is quiet is looked at otherwise than what has news. */
async function lookOften(): Promise<readonly ServerRow[]> {
  await serverRows(lab);
  await serverRows(lab);
  return await serverRows(lab);
}
