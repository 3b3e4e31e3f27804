import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { ask } from "./support/agents/agent.ts";
import { startOpencode } from "./support/agents/opencode.ts";
import { filesHolding } from "./support/byteSearch.ts";
import { openTurns } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { untilScreen } from "./support/panes.ts";
import { unnamed } from "./support/purges.ts";
import type { Purged } from "./support/purges.ts";
import { startServer } from "./support/opencodeServer.ts";
import { untilRow } from "./support/serverRows.ts";
import { until } from "./support/until.ts";
import { stop, untilListed, warden } from "./support/warden.ts";

// `session-warden purge` on OpenCode's sessions: those of a server, and those of a window that has been closed.

let lab: Lab;
beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
});
afterAll(() => lab.close());

async function purge(key: string): Promise<Purged & { readonly code: number | undefined }> {
  const { code, stdout, stderr } = await warden(lab, "purge", key, "--yes", "--json");
  if (!stdout.startsWith("{")) throw new Error(`purge of ${key} ended with ${code} and said: ${stdout}${stderr}`);
  return { ...(JSON.parse(stdout) as Purged), code };
}

test("a session of a server is deleted by it with its sub-agents', and its long outputs before them; its log is told", async () => {
  const server = await startServer(lab, { folder: lab.work });
  // Its log is open for as long as it lives, which the next fact is not about.
  onTestFinished(() => server.end());
  const kept = await server.session("kept");
  const id = await server.session("MARKER-server");
  const child = await server.session("MARKER-server child", { parent: id });
  await server.ask(id, "BASH echo MARKER-server; seq 1 200000");
  await until(() => openTurns(lab.model).length === 0 && filesHolding(lab, "MARKER-server").some((path) => path.includes("tool-output")));
  await until(async () => (await server.status())[id] === undefined);
  await untilRow(lab, id, "idle");

  const receipt = await purge(`opencode:${id}`);
  expect(receipt.purged.map(({ outcome, residue }) => [outcome, residue])).toEqual(receipt.purged.map(() => ["erased", []]));
  expect([await server.find(id), await server.find(child), await server.find(kept)]).toMatchObject([{ status: 404 }, { status: 404 }, { status: 200 }]);
  expect(receipt.left_alone.some(({ path }) => path.endsWith("opencode.log"))).toBe(true);
  expect(unnamed(lab, receipt, "MARKER-server", id, child)).toEqual([]);
});

test("a session of a closed window is deleted by OpenCode's own command, without a plugin", async () => {
  const cwd = lab.folder("window");
  const agent = await startOpencode(lab, { name: "window", cwd });
  await ask(agent, "BASH echo MARKER-window; seq 1 200000");
  await until(() => filesHolding(lab, "MARKER-window").some((path) => path.includes("tool-output")), 60_000);
  await untilScreen(agent.pane, "done");
  const row = await untilListed(agent, "open");
  const { captured_id: id } = await stop(lab, row);
  expect(id).toMatch(/^ses_/);
  const ran = join(lab.root, "plugin ran");
  for (const folder of [join(cwd, ".opencode/plugin"), join(lab.env["XDG_CONFIG_HOME"] ?? "", "opencode/plugin"), join(lab.home, ".opencode/plugin")]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "p.js"),
      `import { writeFileSync } from "node:fs"; export const P = async () => { writeFileSync(${JSON.stringify(ran)}, ""); return {}; };`,
    );
  }

  const receipt = await purge(row.key);
  expect(receipt.purged.map(({ outcome, residue }) => [outcome, residue])).toEqual(receipt.purged.map(() => ["erased", []]));
  // OpenCode now and then writes an output twice, and names one of the two.
  expect(receipt.left_alone.filter(({ path, holds }) => holds === "text" && !path.includes("/tool-output/"))).toEqual([]);
  expect(receipt.purged.map(({ store }) => store)).toContain("its rows in OpenCode's database");
  expect(existsSync(ran)).toBe(false);
  expect(unnamed(lab, receipt, "MARKER-window", id ?? "none")).toEqual([]);
});
