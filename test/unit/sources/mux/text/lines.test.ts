import { expect, test } from "vitest";
import { change, judged } from "./judged.ts";
import type { Case } from "./judged.ts";

const cases: readonly (readonly [string, Case])[] = [
  ["quoted key with colon inside", ['tmux_sessions:\n- name: a\n  "x:y": 1\n  "status" : running\n', change()]],
  ["key then spaced colon with comment", ["tmux_sessions:\n- name: a\n  status:   # c: d\n    running\n- name: b\n", change()]],
  ["empty value with comment", ["tmux_sessions:\n- name: a\n  status: # c\n- name: b\n", change()]],
  ["explicit key", ["tmux_sessions:\n- name: a\n  ? status\n  : running\n- name: b\n", change()]],
  ["tagged value int", ['tmux_sessions:\n- name: a\n  status: !!int "3"\n- name: b\n', change()]],
  ["tagged value str", ["tmux_sessions:\n- name: a\n  status: !!str 3\n- name: b\n", change()]],
  ["tagged value binary", ["tmux_sessions:\n- name: a\n  status: !!binary aGk=\n- name: b\n", change()]],
  ["nested map last", ["tmux_sessions:\n- name: a\n  pane:\n    cwd: /x\n    # in pane\n  # of a\n# between\n- name: b\n", change()]],
  ["nested replaced", ["tmux_sessions:\n- name: a\n  pane:\n    cwd: /x\n    l:\n    - 1\n  z: 1\n- name: b\n", change({ pane: null })]],
  ["nested replaced then comment", ["tmux_sessions:\n- name: a\n  pane:\n    cwd: /x # in\n  # before z\n  z: 1\n- name: b\n", change({ pane: null })]],
  ["indentless list replaced", ["tmux_sessions:\n- name: a\n  tags:\n  - x\n  - y\n  z: 1\n- name: b\n", change({ tags: ["q"] })]],
  ["list last replaced + added", ["tmux_sessions:\n- name: a\n  tags:\n  - x\n  - y\n- name: b\n", change({ tags: ["q"], w: "1" })]],
  ["block literal last", ["tmux_sessions:\n- name: a\n  t: |\n    x\n    y\n- name: b\n", change()]],
  ["block literal keep last", ["tmux_sessions:\n- name: a\n  t: |+\n    x\n\n\n- name: b\n", change()]],
  ["block literal keep replaced", ["tmux_sessions:\n- name: a\n  t: |+\n    x\n\n\n- name: b\n", change({ t: "q" })]],
  ["block literal at EOF no newline", ["tmux_sessions:\n- name: a\n  t: |\n    x", change({ t: "q", u: "v" })]],
  ["block strip", ["tmux_sessions:\n- name: a\n  t: >-\n    x\n    y\n\n  u: 1\n- name: b\n", change({ t: "q" })]],
  ["multi-line quoted", ["tmux_sessions:\n- name: a\n  t: 'x\n\n    y'\n  u: 1\n- name: b\n", change({ t: "q" })]],
  ["multi-line plain", ["tmux_sessions:\n- name: a\n  t: x\n    y\n  u: 1\n- name: b\n", change({ t: "q" })]],
  ["only multi-line keys", ["tmux_sessions:\n- name: 'a\n    b'\n  t: |\n    x\n- name: b\n", change()]],
  ["duplicate keys", ["tmux_sessions:\n- name: a\n  status: x\n  status: y\n- name: b\n", change()]],
  ["remove duplicate keys", ["tmux_sessions:\n- name: a\n  status: x\n  status: y\n- name: b\n", change({}, ["status"])]],
  ["remove first and second", ["tmux_sessions:\n- stopped_at: 1\n  stop_reason: x\n  name: a\n- name: b\n", change({}, ["stopped_at", "stop_reason"])]],
  ["remove first two add", ["tmux_sessions:\n- stopped_at: 1\n  stop_reason: x\n  name: a\n- name: b\n", change({ q: 1 }, ["stopped_at", "stop_reason"])]],
  ["row with int key", ["tmux_sessions:\n- name: a\n  5: x\n- name: b\n", change({ "5": "y" })]],
  ["row with null key", ["tmux_sessions:\n- name: a\n  ~: x\n- name: b\n", change({ "": "y" })]],
  ["date key kept", ["tmux_sessions:\n- name: a\n  d: 2026-11-30\n- name: b\n", change()]],
  ["date replaced by same str", ["tmux_sessions:\n- name: a\n  d: 2026-11-30\n- name: b\n", change({ d: "2026-11-30" })]],
  ["dash on own line change", ["tmux_sessions:\n-\n  name: a\n  status: x\n-\n  name: b\n", change()]],
  ["dash with comment", ["tmux_sessions:\n- # first\n  name: a\n  status: x\n- name: b\n", change()]],
  ["key twice: tmux_sessions", ["tmux_sessions:\n- name: old\ntmux_sessions:\n- name: a\n  status: x\n", change()]],
  ["remove name only key block", ["tmux_sessions:\n- name: a\n- name: b\n", change({}, ["name"])]],
  ["emoji before", ['tmux_sessions:\n- name: a\n  "😀": x\n  status: 😀 # 😀\n- name: b\n', change()]],
];
const verdicts = await judged(cases.map(([, each]) => each));

test.each(cases.map(([name], nth) => [name, verdicts[nth]] as const))("keys on lines: %s", (_name, verdict) => {
  expect(verdict).toBe("as wanted");
});
