import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { endState } from "../../../../src/sources/entire/endState.ts";
import { aState, goText } from "../../../support/entire.ts";
import type { StateOf } from "../../../support/entire.ts";

const now = Date.UTC(2026, 10, 30, 9, 30, 49, 120);
const nowText = "2026-11-30T09:30:49.12Z";
const active = readFileSync(fileURLToPath(new URL("../../../fixtures/entire/active.json", import.meta.url)), "utf8");

function ended(state: StateOf, kind: "exited" | "stopped" = "exited"): Record<string, unknown> {
  return JSON.parse(endState(goText(state), { kind }, now) ?? "null") as Record<string, unknown>;
}

test("an exited session with pending work is closed in its three keys, and no other byte changes", () => {
  const expected = active
    .replace('"phase": "active"', '"phase": "ended"')
    .replace('"last_interaction_time": "2026-09-20T08:41:55.902113004Z"', `"last_interaction_time": "${nowText}"`)
    .replace(/\n\}\n$/, ',\n  "ended_at": "2026-09-20T08:41:55.902113004Z"\n}\n');
  expect(endState(active, { kind: "exited" }, now)).toBe(expected);
});

test("a stopped session ended now", () => {
  expect(ended(aState("a"), "stopped")).toMatchObject({ phase: "ended", ended_at: nowText, last_interaction_time: nowText });
});

test.each([
  ["its last interaction", {}, "2026-09-20T08:41:55.902113004Z"],
  ["its start, where the last interaction is not told", { last_interaction_time: undefined }, "2026-09-20T08:14:03.118274921Z"],
  ["its start, where the last interaction is Go's zero", { last_interaction_time: "0001-01-01T00:00:00Z" }, "2026-09-20T08:14:03.118274921Z"],
  ["now, where neither is a time", { last_interaction_time: 7, started_at: "0001-01-01T00:00:00Z" }, nowText],
])("an exited session ended at %s", (_, over, at) => {
  expect(ended(aState("a", over))["ended_at"]).toBe(at);
});

test("what has nothing pending is fully condensed, and its attempt is dropped", () => {
  const state = ended(aState("a", { files_touched: [], task_records: null, condensation_attempt: { checkpoint_id: "a3b2c4d5e6f7" } }));
  expect(state).toMatchObject({ fully_condensed: true });
  expect(Object.keys(state)).not.toContain("condensation_attempt");
});

test.each([
  { files_touched: ["a.ts"] },
  { checkpoint_count: 1 },
  { task_records: [{ tool_use_id: "t" }] },
  { touched_file_hashes: { "a.ts": "0" } },
  { files_touched: "a.ts" },
  { checkpoint_count: "0" },
  { checkpoint_count: -1 },
  { task_records: 1 },
])("with %j pending or not understood it is never fully condensed, and its attempt stays", (over) => {
  const state = ended(aState("a", { ...over, condensation_attempt: { checkpoint_id: "a3b2c4d5e6f7" } }));
  expect(state).toMatchObject({ phase: "ended", condensation_attempt: { checkpoint_id: "a3b2c4d5e6f7" } });
  expect(Object.keys(state)).not.toContain("fully_condensed");
});

test("steps that are condensed stay so; touched files are not, whatever is said of them", () => {
  expect(ended(aState("a", { checkpoint_count: 3, fully_condensed: true }))).toMatchObject({ fully_condensed: true });
  expect(Object.keys(ended(aState("a", { files_touched: ["a.ts"], fully_condensed: true })))).not.toContain("fully_condensed");
});

test.each(['{"session_id":"a","phase":"active","Phase":"idle"}', '{"session_id":"a","phase":"active","phase":"idle"}'])(
  "%s, which two programs may read differently, is not written",
  (text) => {
    expect(endState(text, { kind: "exited" }, now)).toBeUndefined();
  },
);

test("whatever else a state holds stays as it is written, and in its order", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "1", "0", "constructor", 'a"b', "a\\", "{", "}", ",", ":"));
  const own = ["session_id", "phase", "ended_at", "last_interaction_time", "started_at", "fully_condensed", "condensation_attempt"];
  const anything = fc.array(fc.tuple(key, fc.json({ maxDepth: 4 })), { maxLength: 8 });
  fc.assert(
    fc.property(anything, fc.constantFrom("", " ", "\n  ", "\n\t"), fc.nat(), (members, space, at) => {
      const others = members.filter(([each], index) => {
        const isFirst = members.findIndex(([other]) => other.toLowerCase() === each.toLowerCase()) === index;
        return isFirst && !own.includes(each.toLowerCase());
      });
      const written = others.map(([each, value]) => `${JSON.stringify(each)}:${space}${value}`);
      const all = written.toSpliced(at % (written.length + 1), 0, `"session_id": "a"`, `"phase" :"active"`, `"last_interaction_time":${space}null`);
      const text = `{${space}${all.join(`${space},${space}`)}${space}}`;
      const result = endState(text, { kind: "stopped" }, now);
      expect(result).toBeDefined();
      // Each part is there still, as it was written, one after the other.
      let from = 0;
      for (const part of written) {
        const found = result?.indexOf(part, from) ?? -1;
        expect(found).toBeGreaterThanOrEqual(0);
        from = found + part.length;
      }
      expect(JSON.parse(result ?? "")).toMatchObject({ session_id: "a", phase: "ended", ended_at: nowText, last_interaction_time: nowText });
    }),
  );
});
