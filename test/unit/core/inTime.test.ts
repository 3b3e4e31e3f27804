import { expect, test } from "vitest";
import { inTime } from "../../../src/core/inTime.ts";

const never = new AbortController().signal;
const hangs = (): Promise<never> => new Promise(() => undefined);

test("an answer and a fault that come in time are passed on", async () => {
  expect(await inTime(Promise.resolve(7), 20_000, never)).toBe(7);
  await expect(inTime(Promise.reject(new Error("EIO")), 20_000, never)).rejects.toThrow("EIO");
});

test.each([
  [20, "no answer within 20 ms"],
  [1_000, "no answer within 1 s"],
])("what tells nothing within %i ms is said to have given no answer", async (withinMs, words) => {
  await expect(inTime(hangs(), withinMs, never)).rejects.toThrow(words);
});

test("a wait that is cancelled, or was before it began, ends at once", async () => {
  const abort = new AbortController();
  const waiting = inTime(hangs(), 20_000, abort.signal);
  abort.abort(new Error("not wanted any more"));
  await expect(waiting).rejects.toThrow("not wanted any more");
  await expect(inTime(Promise.resolve(7), 20_000, abort.signal)).rejects.toThrow("not wanted any more");
});
