import * as fc from "fast-check";
import { expect, test } from "vitest";
import { textOfExact } from "../../../../src/sources/mux/exactJson.ts";
import type { JsonObject } from "../../../../src/sources/mux/json.ts";
import { editRegistry } from "../../../../src/sources/mux/text/edit.ts";
import type { Edit } from "../../../../src/sources/mux/text/edit.ts";
import { parseRegistry } from "../../../../src/sources/mux/text/parse.ts";
import { reconcile } from "../../../../src/sources/mux/text/reconcile.ts";
import { runPython } from "../../../support/python.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "no",
    "on",
    "y",
    "1e5",
    "0o7",
    "012",
    "1:30",
    "2026-11-30",
    "2026-11-30T10:00:00Z",
    "~",
    "",
    " ",
    "# c",
    "a: b",
    "- x",
    "&a",
    "*a",
    "!!str",
    "<<",
    "\t",
    "\u0085",
    "\ufeff",
    "é😀",
    "'",
    '"',
    "x\ny\n",
    "|",
    ">",
  ),
);
const value = fc.oneof(
  hostile,
  hostile,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(hostile, { maxLength: 3 }),
);
const key = fc.constantFrom("stop_reason", "stopped_at", "pane", "resumable", "z_last", "a_first", "no", "__proto__", "claude_session_id_own", "note", "é");
const rowBody = fc.dictionary(key, value, { maxKeys: 6 });
const rows = fc
  .array(rowBody, { minLength: 1, maxLength: 5 })
  .map((bodies) => bodies.map((body, index) => ({ name: `row${index}`, status: "running", ...body })));
const style = fc.constantFrom("block", "sorted", "flow", "indented", "crlf");

/** Many documents by one process: [rows, style] → text. */
const dump = `
import json, sys, yaml
class Indented(yaml.SafeDumper):
    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)
def text(rows, style):
    document = {"tmux_sessions": rows, "agent_identities": {"claude": {"project_cwd": "/app", "session_id": "x"}}}
    if style == "indented": return yaml.dump(document, Dumper=Indented, sort_keys=False, allow_unicode=True)
    made = yaml.safe_dump(document, sort_keys=style == "sorted", default_flow_style=True if style == "flow" else False, allow_unicode=style != "sorted")
    return made.replace("\\n", "\\r\\n") if style == "crlf" else made
print(json.dumps([text(*each) for each in json.load(sys.stdin)]))
`;
const load = `
import json, sys, yaml
print(json.dumps([yaml.safe_load(text) for text in json.load(sys.stdin)]))
`;

const seed = 7;
const sample = fc.sample(
  fc.tuple(rows, style, fc.nat(), fc.dictionary(key, value, { minKeys: 1, maxKeys: 4 }), fc.subarray(["stop_reason", "stopped_at", "a_first"])),
  { numRuns: 400, seed },
);
const cases = sample.map(([rows, style, at, set, remove]) => ({
  rows: wellFormed(rows),
  style,
  index: at % rows.length,
  set: wellFormed(set),
  remove: remove.filter((name) => !Object.hasOwn(set, name)),
}));
const texts = runPython(
  dump,
  cases.map(({ rows, style }) => [rows, style]),
) as readonly string[];
/** PyYAML itself does not give back every string as it took it. */
const before = (runPython(load, texts) as readonly { tmux_sessions: readonly JsonObject[] }[]).map((document) => document.tmux_sessions);

test("of what PyYAML wrote one row is changed, and PyYAML reads what was wanted", async () => {
  const edited = await Promise.all(
    texts.map((text, nth) => changed(text, [{ kind: "change", index: cases[nth]?.index ?? 0, set: cases[nth]?.set ?? {}, remove: cases[nth]?.remove ?? [] }])),
  );
  const read = runPython(load, edited) as readonly { tmux_sessions: readonly JsonObject[] }[];
  for (const [nth, { index, set, remove }] of cases.entries()) {
    const wanted = before[nth]?.map((row, at) => (at === index ? { ...without(row, remove), ...set } : row));
    expect(read[nth]?.tmux_sessions, texts[nth]).toEqual(wanted);
  }
});

test("every line of every other row stays as it was", async () => {
  for (const [nth, { index, style, set, remove }] of cases.entries()) {
    const text = texts[nth] ?? "";
    const next = await changed(text, [{ kind: "change", index, set, remove }]);
    if (style === "flow") continue;
    const [before, after] = [partsOf(text, style), partsOf(next, style)];
    const own = before.findIndex((part) => new RegExp(`^\\s*(- )?name: row${index}\\r?$`, "m").test(part));
    expect(after.length).toBe(before.length);
    expect(own).toBeGreaterThan(-1);
    for (const [at, part] of before.entries()) if (at !== own) expect(after[at]).toBe(part);
  }
});

test("a row that was added, and one that was removed, are all that PyYAML sees of it; given back, the text is what it was", async () => {
  const fresh: JsonObject = { name: "fresh", status: "running", pane: { cwd: "/é" }, note: "no" };
  const added = await Promise.all(texts.map((text) => changed(text, [{ kind: "add", row: fresh }])));
  const removed = await Promise.all(texts.map((text, nth) => edit(text, [{ kind: "remove", index: cases[nth]?.index ?? 0 }])));
  const back = await Promise.all(removed.map(({ text, cut }) => (cut ? changed(text, [{ kind: "insert", text: cut }]) : Promise.resolve(""))));
  const [withFresh, without] = [added, removed.map(({ text }) => text)].map((all) => runPython(load, all) as readonly { tmux_sessions: readonly unknown[] }[]);
  for (const [nth, { index, style }] of cases.entries()) {
    const rows = before[nth] ?? [];
    expect(withFresh?.[nth]?.tmux_sessions).toEqual([...rows, fresh]);
    expect(without?.[nth]?.tmux_sessions).toEqual(rows.toSpliced(index, 1));
    if (style !== "flow") expect(back[nth]).toBe(texts[nth]);
  }
});

test("rows are made to be what the twin holds, and then nothing more is changed", async () => {
  for (const [nth, { rows, index, set }] of cases.slice(0, 150).entries()) {
    const wanted: readonly JsonObject[] = rows.toSpliced(index, 1, { status: "running", ...set, name: "other" }).toReversed();
    const once = await reconcile(texts[nth] ?? "", wanted);
    if (once.kind !== "edited") throw new Error(`${JSON.stringify(once)} ${textOfExact(wanted)}\n${texts[nth]}`);
    expect(await reconcile(once.text, wanted)).toEqual({ kind: "edited", text: once.text });
  }
});

async function edit(text: string, edits: readonly Edit[]): Promise<Extract<Awaited<ReturnType<typeof editRegistry>>, { kind: "edited" }>> {
  const parsed = await parseRegistry(text);
  if (parsed.kind === "corrupt") throw new Error(`${JSON.stringify(parsed)}\n${text}`);
  const result = await editRegistry(parsed, edits);
  if (result.kind !== "edited") throw new Error(`${JSON.stringify(result)} ${JSON.stringify(edits)}\n${text}`);
  return result;
}

async function changed(text: string, edits: readonly Edit[]): Promise<string> {
  return (await edit(text, edits)).text;
}

/** The text by rows: each begins with its mark. */
function partsOf(text: string, style: string): readonly string[] {
  return text.split(style === "indented" ? /^(?= {2}- )|^(?=agent_identities)/m : /^(?=- )|^(?=agent_identities)/m);
}

function without(row: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !keys.includes(name)));
}

/** As Python's JSON gives and takes it. */
function wellFormed<T>(value: T): T {
  return JSON.parse(textOfExact(value as JsonObject).replaceAll(/\\u[dD][89abAB][0-9a-f]{2}|\\u[dD][c-fC-F][0-9a-f]{2}/g, "?")) as T;
}
