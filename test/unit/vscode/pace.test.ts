import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Snapshot } from "../../../src/core/roster.ts";
import { createPace } from "../../../src/vscode/pace.ts";
import { record, session, snapshotOf } from "./sessions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("many hints at once are one reading", async () => {
  using pace = begin();
  for (let n = 0; n < 20; n++) pace.hint();
  await vi.advanceTimersByTimeAsync(500);
  expect(pace.readings()).toBe(1);
});

it.each([
  ["looked at", true, 17],
  ["hidden", false, 4],
])("a storm of hints, %s: the first at once, then no more than one reading in each gap, and the last hint is not lost", async (_how, isVisible, most) => {
  using pace = begin({ isVisible });
  pace.hint();
  await vi.advanceTimersByTimeAsync(200);
  expect(pace.readings()).toBe(1);
  for (let n = 0; n < 98; n++) {
    pace.hint();
    await vi.advanceTimersByTimeAsync(100);
  }
  const during = pace.readings();
  expect(during).toBeGreaterThan(2);
  expect(during).toBeLessThanOrEqual(most);
  pace.hint();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(pace.readings()).toBeGreaterThan(during);
});

it("looked at, an event is read about in less than a second, however short before it the last reading was", async () => {
  using pace = begin({ isVisible: true });
  pace.hint();
  await vi.advanceTimersByTimeAsync(150);
  expect(pace.readings()).toBe(1);
  pace.hint();
  await vi.advanceTimersByTimeAsync(700);
  expect(pace.readings()).toBe(2);
});

it("the gap is from a reading's end: one that takes long is not followed by the next at once", async () => {
  using pace = begin({ isVisible: true, takesMs: 2_000 });
  for (let n = 0; n < 200; n++) {
    pace.hint();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(pace.readings()).toBeLessThanOrEqual(8);
});

it("a person who begins to look waits for no gap", async () => {
  using pace = begin();
  pace.hint();
  await vi.advanceTimersByTimeAsync(200);
  pace.hint();
  pace.now();
  await vi.advanceTimersByTimeAsync(200);
  expect(pace.readings()).toBe(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(pace.readings()).toBe(2);
});

it("nobody looks: nothing is read without a hint", async () => {
  using pace = begin();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pace.readings()).toBe(0);
});

it("looked at, it is read by the clock; unseen but needed, less often", async () => {
  using seen = begin({ isVisible: true });
  using unseen = begin({ mustLookUnseen: true });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen.readings()).toBeGreaterThan(unseen.readings());
  expect(unseen.readings()).toBeGreaterThanOrEqual(5);
  expect(seen.readings()).toBeLessThanOrEqual(13);
});

it("what one look did not find is looked for again a second later", async () => {
  const unseen = record({ liveness: { value: "unseen", seen: "its session is not there", at: 0 } });
  using pace = begin({ snapshot: snapshotOf(session("a", { is: "unknown", run: undefined, records: [unseen] })) });
  pace.hint();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(pace.readings()).toBe(2);
});

it("after its end nothing is read", async () => {
  const pace = begin({ isVisible: true });
  pace.hint();
  pace[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pace.readings()).toBe(0);
});

function begin({
  isVisible = false,
  mustLookUnseen = false,
  snapshot = snapshotOf(),
  takesMs = 0,
}: { isVisible?: boolean; mustLookUnseen?: boolean; snapshot?: Snapshot; takesMs?: number } = {}) {
  let count = 0;
  const refresh = async (): Promise<Snapshot> => {
    count++;
    if (takesMs > 0) await new Promise((done) => setTimeout(done, takesMs));
    return snapshot;
  };
  const pace = createPace({ refresh, isVisible: () => isVisible, mustLookUnseen: () => mustLookUnseen });
  return { ...pace, readings: () => count };
}
