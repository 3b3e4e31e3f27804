import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { folderWithPlugin } from "./support/folderWithPlugin.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { operate, serverRows } from "./support/serverRows.ts";

// Real OpenCode servers that began together, on one database and one log. Which of them has a folder open is nowhere said in so many words.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
});
beforeEach(async () => void (lab = await startLab()));
afterEach(() => lab.close());

test.for([
  ["have folders of their own", "own", []],
  ["were started in one folder", "same", []],
  ["write no log where the others do", "own", ["--print-logs"]],
] as const)("Of servers that %s, only the one that runs a session is asked about its folder", async ([, folders, args]) => {
  const one = await startServer(lab, { folder: lab.folder("one"), args });
  const other = await startServer(lab, { folder: lab.folder(folders === "same" ? "one" : "other") });
  await staysWith(other, [one, other]);
  await staysWith(one, [one, other]);
});

test("A server that works in the folder of another is not taken for that one", async () => {
  const one = await startServer(lab, { folder: lab.folder("one") });
  const other = await startServer(lab, { folder: lab.folder("other") });
  await other.session("in the other's folder", { folder: one.folder });
  await staysWith(other, [one, other]);
});

/** A session at work in a folder with a plugin: it is never said to be idle, and no other server is made to open the folder. */
async function staysWith(at: OpencodeServer, servers: readonly OpencodeServer[]): Promise<void> {
  const { folder, ranBy } = folderWithPlugin(lab, `of ${at.process.pid}`);
  const id = await at.session("at work", { folder });
  await at.ask(id, "SLOW 100");
  const looks = [await serverRows(lab), await serverRows(lab)].map((rows) => rows.find(({ key }) => key === `opencode:${id}`));
  expect(ranBy()).toEqual([at.process.pid]);
  for (const row of looks) expect(row?.status, JSON.stringify(row)).toMatch(/^(working|unknown)$/);

  const receipt = await operate(lab, "stop", id);
  const still = await Promise.all(servers.map(async (server) => Object.keys(await server.status(folder)).includes(id)));
  // Nothing is claimed that is not so.
  expect([receipt.status === "success", still.includes(true)], JSON.stringify(receipt)).toSatisfy(([ended, runs]) => ended !== runs);
  await at.call("POST", `/session/${id}/abort`);
}
