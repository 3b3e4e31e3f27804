import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { turnsOf } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { inFolder, startServer } from "./support/opencodeServer.ts";
import type { OpencodeServer } from "./support/opencodeServer.ts";
import { serverRows } from "./support/serverRows.ts";
import type { ServerRow } from "./support/serverRows.ts";
import { until } from "./support/until.ts";

// The product lists what a real OpenCode server with many sessions has, in folders with names that are no plain words.

const perFolder = 36;
let lab: Lab;
let server: OpencodeServer;
let folders: readonly string[];
const made = new Map<string, string>();
const ids = { archived: "", child: "", streaming: "", retry: "", asking: "", question: "", parent: "", second: "" };

beforeAll(async () => {
  await installRealAgents(["opencode"]);
  await buildProduct();
  lab = await startLab();
  server = await startServer(lab, { folder: lab.work });
  folders = [lab.work, lab.folder("a folder with spaces"), lab.folder("фольдер-文件夹-é")];
  for (const folder of folders) for (let n = 0; n < perFolder; n++) made.set(await server.session(`${n} of ${perFolder}`, { folder }), folder);
  await fillIn();
});
afterAll(() => lab.close());

/** Twelve more, with something to tell: 120 in all. */
async function fillIn(): Promise<void> {
  const [work = "", spaces = "", unicode = ""] = folders;
  const make = async (title: string, folder: string, options: { readonly isAsking?: boolean; readonly parent?: string } = {}) => {
    const id = await server.session(title, { folder, ...options });
    made.set(id, folder);
    return id;
  };
  for (const folder of folders) await archive((ids.archived = await make("archived", folder)));
  ids.child = await make("a part", unicode, { parent: await make("the whole", unicode) });
  ids.streaming = await make("streaming", spaces);
  ids.retry = await make("retry", unicode);
  ids.asking = await make("asking", unicode, { isAsking: true });
  ids.question = await make("question", spaces);
  ids.parent = await make("parent", work);
  await server.ask(ids.streaming, "SLOW 200");
  await server.ask(ids.retry, "HTTP 429 200");
  await server.ask(ids.asking, "BASH echo one & echo two");
  await server.ask(ids.question, "ASKQ");
  await server.ask(ids.parent, "TASK SLOW 201");
  await until(() => turnsOf(lab.model).some(({ userText }) => userText === "SLOW 201"));
  ids.second = await server.askSecondEngine("SLOW 202");
  for (const id of [...Object.keys(await server.status(work)), ids.second]) made.set(id, work);
  await until(
    async () => (await waitsIn("question", spaces)) && (await waitsIn("permission", unicode)) && (await server.status(unicode))[ids.retry]?.type === "retry",
  );
}

describe("Of a server with 120 sessions in three folders", () => {
  let rows: readonly ServerRow[];
  beforeAll(async () => {
    rows = await serverRows(lab);
  });
  const rowOf = (id: string): ServerRow | undefined => rows.find(({ key }) => key === `opencode:${id}`);

  test("each is one row, in its own folder", async () => {
    expect((await server.everySession()).length).toBe(made.size);
    expect(made.size).toBe(120);
    expect(rows).toHaveLength(120);
    expect(Object.fromEntries(rows.map(({ key, cwd }) => [key, cwd]))).toEqual(Object.fromEntries([...made].map(([id, folder]) => [`opencode:${id}`, folder])));
  });

  test("those that do nothing are idle, and say on which server", () => {
    const idle = rows.filter(({ title }) => title.endsWith("of 36"));
    expect(idle).toHaveLength(108);
    expect(new Set(idle.map(({ status }) => status))).toEqual(new Set(["idle"]));
    expect(new Set(rows.filter(({ status }) => status !== "archived").map((row) => `${row.server?.url} ${row.server?.pid}`))).toEqual(
      new Set([`${server.url} ${server.process.pid}`]),
    );
  });

  test("the archived are archived", () => {
    expect(rows.filter(({ status }) => status === "archived").map(({ title }) => title)).toEqual(["archived", "archived", "archived"]);
  });

  test.for([
    ["streaming", "working"],
    ["retry", "working"],
    ["second", "working"],
    ["parent", "working"],
    ["asking", "needsInput"],
    ["question", "needsInput"],
  ] as const)("the one that is %s is %s", ([name, status]) => {
    expect(rowOf(ids[name])).toMatchObject({ status, agent: "opencode" });
  });

  test("why it waits is said: a retry with its reason, a permission with the tool and its input", () => {
    expect(rowOf(ids.retry)?.why).toContain("fake 429");
    expect(rowOf(ids.asking)).toMatchObject({ asks: { tool: "bash", input: expect.stringContaining("echo one & echo two") } });
    expect(rows.filter(({ asks }) => asks)).toHaveLength(1);
  });

  test("children are below their root, and nothing else is below anything", async () => {
    const parents = (await server.everySession()).map(({ id, parentID }) => [`opencode:${id}`, parentID === undefined ? null : `opencode:${parentID}`]);
    expect(parents.filter(([, parent]) => parent !== null)).toHaveLength(2);
    expect(Object.fromEntries(rows.map(({ key, parent }) => [key, parent]))).toEqual(Object.fromEntries(parents));
    expect(rowOf(ids.child)).toMatchObject({ status: "idle" });
    expect(rows.find(({ parent }) => parent === `opencode:${ids.parent}`)).toMatchObject({ status: "working" });
  });
});

async function archive(id: string): Promise<void> {
  await server.call("PATCH", `/session/${id}`, { time: { archived: Date.now() } });
}

async function waitsIn(what: "question" | "permission", folder: string): Promise<boolean> {
  const { body } = await server.call("GET", `/${what}?${inFolder(folder)}`);
  return (body as readonly unknown[]).length === 1;
}
