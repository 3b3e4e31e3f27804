import { expect, test } from "vitest";
import { rawNumber } from "../../../../../src/sources/mux/exactJson.ts";
import { change, judged } from "./judged.ts";
import type { Case } from "./judged.ts";

const cases: readonly (readonly [string, Case])[] = [
  [
    "hostile values",
    [
      "tmux_sessions:\n- name: a\n",
      change({
        s1: '\u0000\u0007\u001b\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800x😀é\t\n\r\\"',
        s2: "1e5",
        s3: "",
        n1: 1e21,
        n2: 1.5e-7,
        n3: -0,
        n4: 5e-324,
        n5: 123456789012345680000,
        l: [[], {}, null, true, { a: [1] }],
      }),
    ],
  ],
  [
    "hostile keys",
    [
      "tmux_sessions:\n- name: a\n",
      change({
        "1": "11",
        "": "1",
        no: "2",
        y: "3",
        "a b": "4",
        é: "5",
        __proto2: "6",
        "x: y": "7",
        "# c": "8",
        "<<": "9",
        "=": "10",
        null: "12",
        "~": "13",
        Yes: "14",
        OFF: "15",
        "a\nb": "16",
      }),
    ],
  ],
  ["hostile keys flow", ["tmux_sessions: [{name: a}]\n", change({ "": "1", no: "2", y: "3", "a b": "4", "<<": "9", "?": "10", "-": "1" })]],
  ["long key", ["tmux_sessions:\n- name: a\n", change({ ["k".repeat(1500)]: "1" })]],
  ["long key flow", ["tmux_sessions: [{name: a}]\n", change({ ["k".repeat(1500)]: "1" })]],
  ["long string", ["tmux_sessions: [{name: a}]\n", change({ s: "k ".repeat(5000) })]],
  ["__proto__ key", ["tmux_sessions:\n- name: a\n  __proto__: 1\n- {name: b, __proto__: {x: 1}}\n", change()]],
  ["set __proto__", ["tmux_sessions:\n- name: a\n", change({ ["__proto__"]: { x: 1 } })]],
  ["big numbers kept", ["tmux_sessions:\n- name: a\n  n: 12345678901234567890\n  f: 1.50\n  g: 1.0e+400\n- name: b\n", change()]],
  [
    "set raw number text",
    [
      "tmux_sessions:\n- name: a\n",
      change({
        f: rawNumber("1.50"),
        g: rawNumber("1E5"),
        h: rawNumber("12345678901234567890"),
        i: rawNumber("1.0"),
        j: rawNumber("1e400"),
        k: rawNumber("-0.0"),
        l: rawNumber("0.1000000000000000055"),
        m: rawNumber("1e-7"),
      }),
    ],
  ],
];
const verdicts = await judged(cases.map(([, each]) => each));

test.each(cases.map(([name], nth) => [name, verdicts[nth]] as const))("what is written: %s", (_name, verdict) => {
  expect(verdict).toBe("as wanted");
});
