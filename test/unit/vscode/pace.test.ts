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
}: { isVisible?: boolean; mustLookUnseen?: boolean; snapshot?: Snapshot } = {}) {
  let count = 0;
  const refresh = async (): Promise<Snapshot> => {
    count++;
    return snapshot;
  };
  const pace = createPace({ refresh, isVisible: () => isVisible, mustLookUnseen: () => mustLookUnseen });
  return { ...pace, readings: () => count };
}
