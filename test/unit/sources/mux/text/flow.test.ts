import { expect, test } from "vitest";
import { change, judged } from "./judged.ts";
import type { Case } from "./judged.ts";

const cases: readonly (readonly [string, Case])[] = [
  ["anchored value unused", ["tmux_sessions:\n- name: a\n  status: &s running\n- name: b\n", change()]],
  ["anchored value on next line", ["tmux_sessions:\n- name: a\n  pane: &p\n    cwd: /x\n- name: b\n", change({ pane: { cwd: "/y" } })]],
  ["anchored shared map", ["tmux_sessions:\n- name: a\n  pane: &p\n    cwd: /x\n- name: b\n  pane: *p\n", change({ pane: { cwd: "/y" } }, [], 1)]],
  ["anchor on row", ["tmux_sessions:\n- &r\n  name: a\n  status: running\n- name: b\n", change()]],
  ["anchor on first key", ["tmux_sessions:\n- &k name: a\n  status: running\n- name: b\n", change()]],
  ["flow remove first", ["tmux_sessions: [{stopped_at: 1, stop_reason: x, name: a}, {name: b}]\n", change({}, ["stopped_at", "stop_reason"])]],
  ["flow remove first add", ["tmux_sessions: [{stopped_at: 1, stop_reason: x, name: a}, {name: b}]\n", change({ q: 1 }, ["stopped_at"])]],
  ["flow remove middle two", ["tmux_sessions: [{name: a, stopped_at: 1, stop_reason: x, z: 1}, {name: b}]\n", change({}, ["stopped_at", "stop_reason"])]],
  [
    "flow remove last two + add",
    ["tmux_sessions: [{name: a, z: 1, stopped_at: 1, stop_reason: x}, {name: b}]\n", change({ q: 1 }, ["stopped_at", "stop_reason"])],
  ],
  [
    "flow remove first, keep, remove last",
    ["tmux_sessions: [{stopped_at: 1, name: a, stop_reason: x}, {name: b}]\n", change({ q: 1 }, ["stopped_at", "stop_reason"])],
  ],
  ["flow trailing comma", ["tmux_sessions: [{name: a, status: x,}, {name: b},]\n", change()]],
  ["flow empty value", ["tmux_sessions: [{name: a, status: , x: 1}, {name: b}]\n", change()]],
  ["flow key alone", ["tmux_sessions: [{name: a, status, x: 1}, {name: b}]\n", change()]],
  ["flow key alone last, add", ["tmux_sessions: [{name: a, x}, {name: b}]\n", change()]],
  ["flow json", ['{"tmux_sessions":[{"name":"a","status":"running"},{"name":"b"}]}', change()]],
  ["flow anchored last", ["tmux_sessions: [{name: a, z: &q x}, {name: b, z: *q}]\n", change()]],
  ["flow spread with comments", ["tmux_sessions: [\n  {name: a, # x\n   status: running # y\n  }, # z\n  {name: b}\n]\n", change()]],
  ["alias row remove key", ["tmux_sessions:\n- &a {name: a, status: running, stopped_at: 1}\n- *a\n", change({ status: "x" }, ["stopped_at"], 1)]],
  ["alias row with date", ["tmux_sessions:\n- &a {name: a, status: running, d: 2026-11-30}\n- *a\n", change(undefined, [], 1)]],
  ["alias row with inf", ["tmux_sessions:\n- &a {name: a, status: running, d: .inf}\n- *a\n", change(undefined, [], 1)]],
  ["alias row with int key", ["tmux_sessions:\n- &a {name: a, status: running, 5: x}\n- *a\n", change(undefined, [], 1)]],
  ["merge override", ["b: &b {status: x, stopped_at: 1}\ntmux_sessions:\n- <<: *b\n  name: a\n- name: b\n", change()]],
  ["merge last", ["b: &b {status: x}\ntmux_sessions:\n- name: a\n  <<: *b\n- name: b\n", change()]],
  ["merge list", ["b: &b {status: x, k: 1}\nc: &c {status: y, k: 2}\ntmux_sessions:\n- <<: [*b, *c]\n  name: a\n- name: b\n", change()]],
  ["own before merge", ["b: &b {status: x, k: 1}\ntmux_sessions:\n- k: 5\n  <<: *b\n  name: a\n- name: b\n", change()]],
  ["two merges", ["b: &b {k: 1}\nc: &c {k: 2}\ntmux_sessions:\n- <<: *b\n  <<: *c\n  name: a\n- name: b\n", change()]],
  ["quoted merge key", ['tmux_sessions:\n- name: a\n  "<<": {x: 1}\n- name: b\n', change()]],
  ["whole doc flow yaml", ["{agent_identities: {}, tmux_sessions: [{name: a,\n    status: 'x\n\n      y'}, {name: b}]}\n", change()]],
  ["empty flow row", ["tmux_sessions: [{}, {name: a}]\n", change()]],
];
const verdicts = await judged(cases.map(([, each]) => each));

test.each(cases.map(([name], nth) => [name, verdicts[nth]] as const))("keys in flow, of aliases and merges: %s", (_name, verdict) => {
  expect(verdict).toBe("as wanted");
});
