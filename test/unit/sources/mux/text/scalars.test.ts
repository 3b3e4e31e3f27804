import { expect, test } from "vitest";
import { parseExact, textOfExact } from "../../../../../src/sources/mux/exactJson.ts";
import type { JsonObject } from "../../../../../src/sources/mux/json.ts";
import { parseRegistry } from "../../../../../src/sources/mux/text/parse.ts";
import { reconcile } from "../../../../../src/sources/mux/text/reconcile.ts";
import { runPython } from "../../../../support/python.ts";

const words = [
  ..."1e3 1.0e+3 1.0e3 1e-3 .5 -.5 +.5 5. 1_000.5 0b11 0o17 017 018 09 0x1f -0x1F 190:20:30 190:20:30.15 1:60 +12 -0 -0.0 1.50 123456789012345678901.5".split(
    " ",
  ),
  ..."~ null Null nULL y Y n yes Yes YES on Off true tRUE no '12' \"no\" ?x :x a:b a#b 1__0 0_1 12e03 1.e+3 1_ _1 + 9223372036854775808 9007199254740993.0".split(
    " ",
  ),
  ..."1e400 0.0 00 0. 1.0e-10 100000000000000000000.0 1.5e300".split(" "),
  "!!str 12",
  '!!int "3"',
  "!!float 1",
  '!!bool "yes"',
  '!!null ""',
  "! 12",
];

test("a word means what it means to PyYAML, with its type", async () => {
  const texts = words.map((word) => `tmux_sessions:\n- name: a\n  v: ${word}\n`);
  const script = `
import json, sys, yaml
def typed(v): return [type(v).__name__, v]
print(json.dumps([typed(yaml.safe_load(text)["tmux_sessions"][0]["v"]) for text in json.load(sys.stdin)]))`;
  const ours = await Promise.all(texts.map(async (text) => textOfExact((await rowOf(text))["v"] ?? null)));
  const typed = runPython("import json, sys\nprint(json.dumps([[type(v).__name__, v] for v in map(json.loads, json.load(sys.stdin))]))", ours);
  expect(typed).toEqual(runPython(script, texts));
});

test("what JSON has no word for is its source, and stays as it is beside what changes", async () => {
  const text = "tmux_sessions:\n- name: a\n  d: 2026-11-30\n  i: .inf\n  b: !!binary aGk=\n";
  const row = await rowOf(text);
  expect(row).toEqual({ name: "a", d: "2026-11-30", i: ".inf", b: "aGk=" });
  expect(await reconcile(text, [row])).toEqual({ kind: "edited", text });
  expect(await reconcile(text, [{ ...row, z: 1 }])).toEqual({ kind: "edited", text: `${text}  z: 1\n` });
});

test.each(["1.50", "1E5", "1e-07", "1e+16", "1796000000.123", "-0.0", "12345678901234567890", "1e400"])(
  "a number of the twin, %s, is written once and then the same",
  async (number) => {
    const rows = [{ name: "a", n: parseExact(number) ?? null, half: "\ud800" }];
    const once = await reconcile("tmux_sessions:\n- name: a\n", rows);
    if (once.kind !== "edited") throw new Error(JSON.stringify(once));
    expect(await reconcile(once.text, rows)).toEqual({ kind: "edited", text: once.text });
    const [ours, wanted] = runPython(
      "import json, sys, yaml\nt, n = json.load(sys.stdin)\nprint(json.dumps([repr(yaml.safe_load(t)['tmux_sessions'][0]['n']), repr(json.loads(n))]))",
      [once.text, number],
    ) as readonly string[];
    expect(ours).toBe(wanted);
  },
);

async function rowOf(text: string): Promise<JsonObject> {
  const parsed = await parseRegistry(text);
  if (parsed.kind === "corrupt") throw new Error(`${parsed.reason} in ${text}`);
  return parsed.rows[0] ?? {};
}
