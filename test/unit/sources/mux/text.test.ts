import { expect, test } from "vitest";
import { textOfExact } from "../../../../src/sources/mux/exactJson.ts";
import type { JsonObject } from "../../../../src/sources/mux/json.ts";
import { editRegistry } from "../../../../src/sources/mux/text/edit.ts";
import type { Edit } from "../../../../src/sources/mux/text/edit.ts";
import { parseRegistry } from "../../../../src/sources/mux/text/parse.ts";
import { runPython } from "../../../support/python.ts";

async function edited(text: string, ...edits: readonly Edit[]): Promise<string> {
  const parsed = await parseRegistry(text);
  if (parsed.kind === "corrupt") return `corrupt at ${parsed.line}:${parsed.column}`;
  const result = await editRegistry(parsed, edits);
  return result.kind === "edited" ? result.text : result.kind;
}

const stop = (index: number): Edit => ({ kind: "change", index, set: { status: "stopped", stop_reason: "manual_stop" }, remove: [] });

test.each<[string, string, string]>([
  [
    "comments stay, behind a value and between rows",
    "# mine\ntmux_sessions:\n- name: a # one\n  status: running # now\n  # more of a\n# b is next\n- name: b\n",
    '# mine\ntmux_sessions:\n- name: a # one\n  status: "stopped" # now\n  stop_reason: "manual_stop"\n  # more of a\n# b is next\n- name: b\n',
  ],
  [
    "a row in flow",
    "tmux_sessions: [{name: a, status: running}, {name: b}]\n",
    'tmux_sessions: [{name: a, status: "stopped", stop_reason: "manual_stop"}, {name: b}]\n',
  ],
  [
    "rows in flow below each other",
    "tmux_sessions:\n  - {name: a, status: running}\n  - {name: b}\n",
    'tmux_sessions:\n  - {name: a, status: "stopped", stop_reason: "manual_stop"}\n  - {name: b}\n',
  ],
  [
    "an empty value",
    "tmux_sessions:\n- name: a\n  status:\n- name: b\n",
    'tmux_sessions:\n- name: a\n  status: "stopped"\n  stop_reason: "manual_stop"\n- name: b\n',
  ],
  [
    "a block of text",
    "tmux_sessions:\n- name: a\n  stop_reason: |\n    because\n    of that\n  status: running\n- name: b\n",
    'tmux_sessions:\n- name: a\n  stop_reason: "manual_stop"\n  status: "stopped"\n- name: b\n',
  ],
  [
    "a text without a last line end",
    "tmux_sessions:\n- name: a\n  status: running",
    'tmux_sessions:\n- name: a\n  status: "stopped"\n  stop_reason: "manual_stop"',
  ],
  [
    "a byte order mark",
    "\ufefftmux_sessions:\n- name: a\n  status: running\n",
    '\ufefftmux_sessions:\n- name: a\n  status: "stopped"\n  stop_reason: "manual_stop"\n',
  ],
  [
    "document marks",
    "---\ntmux_sessions:\n- name: a\n  status: running\n...\n",
    '---\ntmux_sessions:\n- name: a\n  status: "stopped"\n  stop_reason: "manual_stop"\n...\n',
  ],
  [
    "an anchor beside what changes",
    "tmux_sessions:\n- name: a\n  pane: &p {cwd: /app}\n  status: running\n- name: b\n  pane: *p\n",
    'tmux_sessions:\n- name: a\n  pane: &p {cwd: /app}\n  status: "stopped"\n  stop_reason: "manual_stop"\n- name: b\n  pane: *p\n',
  ],
  [
    "a key that is merged in",
    "x: &x {status: running}\ntmux_sessions:\n- <<: *x\n  name: a\n",
    'x: &x {status: running}\ntmux_sessions:\n- <<: *x\n  name: a\n  status: "stopped"\n  stop_reason: "manual_stop"\n',
  ],
])("%s", async (_what, text, expected) => {
  expect(await edited(text, stop(0))).toBe(expected);
});

test("a row that only points to another is written out, and the other stays", async () => {
  const text = "tmux_sessions:\n- &a {name: a, status: running}\n- *a\n";
  expect(await edited(text, stop(1))).toBe('tmux_sessions:\n- &a {name: a, status: running}\n- {name: "a", status: "stopped", stop_reason: "manual_stop"}\n');
});

test("where another row would change with it, nothing is written", async () => {
  expect(await edited("tmux_sessions:\n- &a {name: a, status: running}\n- *a\n", stop(0))).toBe("unsafe");
  expect(await edited("tmux_sessions:\n- name: a\n  status: &s running\n- name: b\n  status: *s\n", stop(0))).toBe("unsafe");
});

test.each<[string, string]>([
  ["tmux_sessions: []\n", 'tmux_sessions:\n- name: "n"\n  status: "running"\n'],
  ["tmux_sessions:\n", 'tmux_sessions:\n- name: "n"\n  status: "running"\n'],
  ["tmux_sessions: null\nother: 1\n", 'tmux_sessions:\n- name: "n"\n  status: "running"\nother: 1\n'],
  ["other: 1\n", 'other: 1\ntmux_sessions:\n- name: "n"\n  status: "running"\n'],
  ["", 'tmux_sessions:\n- name: "n"\n  status: "running"\n'],
  ["# nothing yet\n", '# nothing yet\ntmux_sessions:\n- name: "n"\n  status: "running"\n'],
  ["{}", '{tmux_sessions: [{name: "n", status: "running"}]}'],
  ["tmux_sessions:\n  - name: a\n# last\n", 'tmux_sessions:\n  - name: a\n  - name: "n"\n    status: "running"\n# last\n'],
])("a row is added to %j", async (text, expected) => {
  const next = await edited(text, { kind: "add", row: { name: "n", status: "running" } });
  expect(next).toBe(expected);
  const read = runPython("import json, sys, yaml; print(json.dumps(yaml.safe_load(json.load(sys.stdin))))", next) as { tmux_sessions: readonly JsonObject[] };
  expect(read.tmux_sessions.at(-1)).toEqual({ name: "n", status: "running" });
});

test("a list that loses its last row stays a list", async () => {
  expect(await edited("tmux_sessions:\n- name: a\n  status: running\nother: 1\n", { kind: "remove", index: 0 })).toBe("tmux_sessions: []\nother: 1\n");
  expect(await edited("tmux_sessions: [{name: a}]\n", { kind: "remove", index: 0 })).toBe("tmux_sessions: []\n");
});

test("keys that go take their lines along, the first one too", async () => {
  const text = "tmux_sessions:\n- stopped_at: x\n  name: a\n  stop_reason: |\n    long\n    words\n  status: stopped\n";
  expect(await edited(text, { kind: "change", index: 0, set: { status: "running" }, remove: ["stopped_at", "stop_reason"] })).toBe(
    'tmux_sessions:\n- name: a\n  status: "running"\n',
  );
});

test.each<[string, string, string]>([
  ["a list that is not closed", "tmux_sessions:\n- name: a\n  tags: [x\n- name: b\n", "4:1"],
  ["a tab for an indentation", "tmux_sessions:\n- name: a\n\tstatus: running\n", "3:1"],
  ["rows that are no list", "tmux_sessions: yes\n", "1:16"],
  ["a text that is no map", "- name: a\n", "1:1"],
  ["two documents", "tmux_sessions: []\n---\ntmux_sessions: []\n", "2:1"],
])("%s is told with its place", async (_what, text, place) => {
  expect(await edited(text, stop(0))).toBe(`corrupt at ${place}`);
});

test("aliases of aliases fill no memory", async () => {
  const levels = Array.from({ length: 12 }, (_each, level) => `l${level + 1}: &l${level + 1} [${Array.from({ length: 10 }, () => `*l${level}`).join(", ")}]`);
  const parsed = await parseRegistry(`l0: &l0 [x, x]\n${levels.join("\n")}\ntmux_sessions: *l12\n`);
  expect(parsed.kind).toBe("corrupt");
});

test("numbers are read as PyYAML reads them, and big ones with every digit", async () => {
  const text = "tmux_sessions:\n- name: a\n  list: [1, 1.0, 1.5, -0.0, 12345678901234567890, 0x1F, 1_000, 010, 1e3, 1.0e+3, .inf, 2026-11-30]\n";
  const parsed = await parseRegistry(text);
  const list = parsed.kind === "parsed" ? parsed.rows[0]?.["list"] : undefined;
  expect(textOfExact(list ?? null)).toBe('[1,1.0,1.5,-0.0,12345678901234567890,31,1000,8,"1e3",1.0e+3,".inf","2026-11-30"]');
});

test("rows without a name keep their place and are no rows", async () => {
  const parsed = await parseRegistry("tmux_sessions:\n- just words\n- {status: running}\n- {name: a}\n- {name: 7}\n");
  expect(parsed.kind === "parsed" && parsed.rows.map((row) => row?.["name"])).toEqual([undefined, undefined, "a", undefined]);
});

test("of a thousand rows only the lines of the one that changes are other ones", async () => {
  const rows = Array.from({ length: 1_000 }, (_each, nth) => ({
    name: `row-${nth}`,
    status: "running",
    pane: { cwd: `/home/ada/app-${nth}` },
    note: "x ".repeat(100),
    created_at_epoch: 1_796_000_000,
    tags: ["a", "b"],
  }));
  const text = runPython("import json, sys, yaml; print(json.dumps(yaml.safe_dump({'tmux_sessions': json.load(sys.stdin)})))", rows) as string;
  const next = await edited(text, stop(500));
  const [before, after] = [text.split("\n"), next.split("\n")];
  expect(after.filter((line) => !before.includes(line))).toEqual(['  status: "stopped"', '  stop_reason: "manual_stop"']);
  expect(after.length).toBe(before.length + 1);
});
