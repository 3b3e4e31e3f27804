import { expect, test } from "vitest";
import { add, change, gone, judged } from "./judged.ts";
import type { Case } from "./judged.ts";

const cases: readonly (readonly [string, string, Case])[] = [
  ["explicit key no value", "unsafe", ["tmux_sessions:\n- name: a\n  ? status\n- name: b\n", change()]],
  ["merge remove", "unsafe", ["b: &b {status: x, stopped_at: 1}\ntmux_sessions:\n- <<: *b\n  name: a\n- name: b\n", change({}, ["stopped_at"])]],
  ["remove anchored row used", "unsafe", ["tmux_sessions:\n- name: a\n  p: &p {x: 1}\n- name: b\n  p: *p\n", gone(0)]],
  ["add to alias list", "unsafe", ["x: &x\n- name: a\ntmux_sessions: *x\n", add({ name: "c" })]],
  ["tab separated", "corrupt", ["tmux_sessions:\n-\tname: a\n\n- name: b\n", change()]],
  ["change non-map row", "unsafe", ["tmux_sessions:\n- just\n- name: a\n", change()]],
  ["change missing row", "unsafe", ["tmux_sessions:\n- name: a\n", change(undefined, [], 7)]],
  ["remove missing row", "unsafe", ["tmux_sessions:\n- name: a\n", gone(7)]],
  ["deep nesting", "corrupt", [`tmux_sessions:\n- name: a\n  d: ${"[".repeat(300)}${"]".repeat(300)}\n`, change()]],
];

test("what can't be changed alone is not written", async () => {
  expect(await judged(cases.map(([, , each]) => each))).toEqual(cases.map(([, outcome]) => outcome));
});
