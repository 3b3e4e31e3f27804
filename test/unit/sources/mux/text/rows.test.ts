import { expect, test } from "vitest";
import { add, change, gone, judged } from "./judged.ts";
import type { Case } from "./judged.ts";

const cases: readonly (readonly [string, Case])[] = [
  ["flow add row trailing comma", ["tmux_sessions: [{name: a}, {name: b},]\n", add({ name: "c" })]],
  ["remove row first with comment", ["tmux_sessions:\n# a is\n- name: a\n# b is\n- name: b\n", gone(0)]],
  ["remove only row comment behind key", ["tmux_sessions: # rows\n- name: a\nother: 1\n", gone(0)]],
  ["remove only, EOF w/o newline", ["tmux_sessions:\n- name: a", gone(0)]],
  ["remove both rows", ["tmux_sessions:\n- name: a\n- name: b\n", gone(0), gone(1)]],
  ["remove both flow", ["tmux_sessions: [{name: a}, {name: b}]\n", gone(0), gone(1)]],
  ["remove 0,1 of 3 flow", ["tmux_sessions: [{name: a}, {name: b}, {name: c}]\n", gone(0), gone(1)]],
  ["remove 1,2 of 3 flow + add", ["tmux_sessions: [{name: a}, {name: b}, {name: c}]\n", gone(1), gone(2), add({ name: "d" })]],
  ["remove all + add block", ["tmux_sessions:\n- name: a\n- name: b\n", gone(0), gone(1), add({ name: "d" })]],
  ["remove row with nested-list form", ["tmux_sessions:\n-\n  name: a\n-\n  name: b\n", gone(0)]],
  ["remove dash with comment", ["tmux_sessions:\n- # first\n  name: a\n- name: b\n", gone(0)]],
  ["wide dash", ["tmux_sessions:\n-   name: a\n    status: x\n-   name: b\n", change(), add()]],
  ["add with trailing comments", ["tmux_sessions:\n- name: a\n\n# end of rows\nother: 1\n", add({ name: "c" })]],
  ["add after keep scalar", ["tmux_sessions:\n- name: a\n  t: |+\n    x\n\n", add({ name: "c" })]],
  ["add after scalar clip w/ blank", ["tmux_sessions:\n- name: a\n  t: |\n    x\n\n\nother: 1\n", add({ name: "c" })]],
  ["add to --- only", ["---\n", add({ name: "c" })]],
  ["add to --- ...", ["---\n...\n", add({ name: "c" })]],
  ["add to --- null", ["--- null\n", add({ name: "c" })]],
  ["add to null", ["null\n", add({ name: "c" })]],
  ["add to map with ...", ["other: 1\n...\n", add({ name: "c" })]],
  ["add to block list with ...", ["tmux_sessions:\n- name: a\n...\n", add({ name: "c" })]],
  ["add to map no newline", ["other: 1", add({ name: "c" })]],
  ["add to map keep scalar end", ["other: |+\n  x\n\n", add({ name: "c" })]],
  ["add to %YAML", ["%YAML 1.1\n---\nother: 1\n", add({ name: "c" })]],
  ["add to null with comment", ["tmux_sessions: # none yet\nother: 1\n", add({ name: "c" })]],
  ["add to [] with comment", ["tmux_sessions: [] # none yet\nother: 1\n", add({ name: "c" })]],
  ["add to [ # c ]", ["tmux_sessions: [ # none\n]\nother: 1\n", add({ name: "c" })]],
  ["add to ~ anchored", ["tmux_sessions: &t ~\nother: 1\n", add({ name: "c" })]],
  ["BOM only", ["\ufeff", add({ name: "c" })]],
  ["BOM comment", ["\ufeff# hi\n", add({ name: "c" })]],
  [
    "CRLF all",
    [
      "tmux_sessions:\r\n- name: a\r\n  status: running\r\n  t: |\r\n    x\r\n    y\r\n  q: 'a\r\n\r\n    b'\r\n- name: b\r\n",
      change({ status: "stopped", stop_reason: "no", n: 1, t: "new" }),
      add(),
    ],
  ],
  ["CRLF remove", ["tmux_sessions:\r\n- name: a\r\n  status: running\r\nother: 1\r\n", gone(0)]],
  ["CRLF empty", ["# x\r\n", add({ name: "c" })]],
  ["nested indented doc", ["  tmux_sessions:\n    - name: a\n      status: x\n  other: 1\n", change(), add({ name: "c" })]],
  ["quoted root key", ['"tmux_sessions":\n- name: a\n  status: x\n', gone(0)]],
];
const verdicts = await judged(cases.map(([, each]) => each));

test.each(cases.map(([name], nth) => [name, verdicts[nth]] as const))("rows come and go: %s", (_name, verdict) => {
  expect(verdict).toBe("as wanted");
});
