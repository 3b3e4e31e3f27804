import { expect, test } from "vitest";
import type { Client } from "../../../../src/sources/opencode/client.ts";
import { json } from "../../../support/fakeServer.ts";
import { classic, session, untouched } from "./aClient.ts";

test("sessions are read as they are, and rows that can't be read are left out", async () => {
  const { client } = await classic({
    "GET /experimental/session": [
      session("ses_a1", { slug: "calm-tiger", parentID: "ses_root", time: { created: 1, updated: 2, archived: 3 } }),
      session("ses_b2", { title: 7, parentID: null, time: { created: 1, updated: 2, archived: "never" } }),
      session("ses_c3", { time: { created: 1, updated: 2, archived: 0 } }),
      session("../ses_d4"),
      session("ses_e5", { directory: "" }),
      session("ses_f6", { time: undefined }),
      { id: "ses_g7" },
      null,
      "ses_h8",
    ],
  });
  const common = { directory: "/srv/api", createdAt: 1, updatedAt: 2 };
  expect(await client.sessions(untouched)).toEqual({
    kind: "ok",
    value: [
      { ...common, id: "ses_a1", title: "migrate", parentId: "ses_root", archivedAt: 3 },
      { ...common, id: "ses_b2", title: "", parentId: undefined, archivedAt: undefined },
      { ...common, id: "ses_c3", title: "migrate", parentId: undefined, archivedAt: 0 },
    ],
  });
});

test.for<readonly [string, unknown]>([
  ["an object", { sessions: [] }],
  ["rows of which none can be read", [{ id: "ses_a1" }, null]],
  ["null", null],
])("%s is no list of sessions, rather than an empty one", async ([, answer]) => {
  const { client } = await classic({ "GET /experimental/session": json(answer) });
  expect(await client.sessions(untouched)).toEqual({ kind: "failed", reason: "sent an answer of another shape" });
});

test("only idle is idle: a state that we don't know is a run", async () => {
  const { client } = await classic({
    "GET /session/status": {
      ses_a1: { type: "busy" },
      ses_b2: { type: "retry", attempt: 2, message: "fake 429", next: 5 },
      ses_c3: { type: "idle" },
      ses_d4: { type: "compacting" },
      ses_e5: null,
      "../ses_f6": { type: "busy" },
    },
  });
  expect(await client.runs("/srv/api", untouched)).toEqual({
    kind: "ok",
    value: new Map<string, unknown>([
      ["ses_a1", { kind: "busy" }],
      ["ses_b2", { kind: "retry", attempt: 2, message: "fake 429" }],
      ["ses_d4", { kind: "busy" }],
    ]),
  });
});

test("the second engine's runs are a set of ids", async () => {
  const { client } = await classic({ "GET /api/session/active": { data: { ses_a1: { type: "running" }, nobody: {} } } });
  expect(await client.active(untouched)).toEqual({ kind: "ok", value: new Set(["ses_a1"]) });
});

test.for<readonly [string, string, unknown, (client: Client) => Promise<{ readonly kind: string }>]>([
  ["runs", "GET /session/status", [], (client) => client.runs("/srv/api", untouched)],
  ["runs of the second engine", "GET /api/session/active", {}, (client) => client.active(untouched)],
  ["an own directory", "GET /path", { home: "/srv" }, (client) => client.ownDirectory(untouched)],
  ["permissions", "GET /permission", {}, (client) => client.permissions("/srv/api", untouched)],
])("an answer of another shape tells of no %s, rather than of none", async ([, call, answer, ask]) => {
  const { client } = await classic({ [call]: json(answer) });
  expect((await ask(client)).kind).toBe("failed");
});

test("a permission is told with what it is for", async () => {
  const asked = (id: string, more: object) => ({
    id,
    sessionID: "ses_a1",
    permission: "bash",
    patterns: ["rm *", "ls"],
    metadata: {},
    always: [],
    tool: { messageID: "msg_1", callID: "call_1" },
    ...more,
  });
  const { client } = await classic({
    "GET /permission": [
      asked("per_1", { metadata: { command: "rm -rf build" } }),
      asked("per_2", { permission: "edit", metadata: { filepath: "/srv/api/a.ts", diff: "-a\n+b" } }),
      asked("per_3", {}),
      asked("per_4", { sessionID: 4 }),
      asked("per_5", { metadata: null, patterns: null, tool: null }),
    ],
    "GET /api/session/ses_a1/permission": { data: [{ id: "per_6", sessionID: "ses_a1", action: "bash", resources: ["make"] }] },
  });
  expect(await client.permissions("/srv/api", untouched)).toEqual({
    kind: "ok",
    value: [
      { id: "per_1", sessionId: "ses_a1", tool: "bash", input: "rm -rf build", messageId: "msg_1" },
      { id: "per_2", sessionId: "ses_a1", tool: "edit", input: "/srv/api/a.ts\n-a\n+b", messageId: "msg_1" },
      { id: "per_3", sessionId: "ses_a1", tool: "bash", input: "rm *, ls", messageId: "msg_1" },
      { id: "per_5", sessionId: "ses_a1", tool: "bash", input: "", messageId: undefined },
    ],
  });
  expect(await client.activePermissions("ses_a1", untouched)).toEqual({
    kind: "ok",
    value: [{ id: "per_6", sessionId: "ses_a1", tool: "bash", input: "make", messageId: undefined }],
  });
});

test("a question is told in its own words", async () => {
  const questions = [
    { question: "Which database?", header: "DB", options: [] },
    { question: "And which port?", header: "Port", options: [] },
  ];
  const { client } = await classic({
    "GET /question": [
      { id: "que_1", sessionID: "ses_a1", questions },
      { id: "que_2", sessionID: "ses_a1", questions: [] },
    ],
  });
  expect(await client.questions("/srv/api", untouched)).toEqual({
    kind: "ok",
    value: [{ id: "que_1", sessionId: "ses_a1", question: "Which database?\nAnd which port?", messageId: undefined }],
  });
});

test("messages tell their texts, whether they are finished, and the tools that run", async () => {
  const running = { type: "tool", tool: "bash", state: { status: "running", input: { command: "sleep 600" }, time: { start: 1 } } };
  const over = { type: "tool", tool: "bash", state: { status: "completed", input: { command: "ls" } } };
  const { client, server } = await classic({
    "GET /session/ses_a1/message": [
      {
        info: { id: "msg_1", role: "user", time: { created: 1 } },
        parts: [
          { type: "text", text: "go" },
          { type: "text", text: "<system>", synthetic: true },
        ],
      },
      { info: { id: "msg_2", role: "assistant", time: { created: 2, completed: 3 } }, parts: [{ type: "text", text: "done" }, over, null] },
      { info: { id: "msg_3", role: "system", time: { created: 2 } }, parts: [] },
      { info: { id: "msg_4", role: "assistant", time: { created: 4 } }, parts: [{ type: "step-start" }, running] },
    ],
  });
  expect(await client.messages("ses_a1", "/srv/api", 4, untouched)).toEqual({
    kind: "ok",
    value: [
      { id: "msg_1", role: "user", createdAt: 1, isFinished: true, texts: ["go"], runningTools: [] },
      { id: "msg_2", role: "assistant", createdAt: 2, isFinished: true, texts: ["done"], runningTools: [] },
      { id: "msg_4", role: "assistant", createdAt: 4, isFinished: false, texts: [], runningTools: [{ tool: "bash", input: { command: "sleep 600" } }] },
    ],
  });
  expect(server.requests.at(-1)?.url).toBe("/session/ses_a1/message?directory=%2Fsrv%2Fapi&limit=4");
});
