import { setTimeout as pause } from "node:timers/promises";

/**
 * Resolves with the first truthy answer of `condition`; rejects when `withinMs` have passed, and then says what `seen` tells.
 * A condition that throws is one that doesn't hold yet: a file half written, a process just gone.
 */
export async function until<T>(condition: () => T | Promise<T>, withinMs = 30_000, seen: () => string = () => ""): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await condition();
      if (answer) return answer;
      cause = undefined;
    } catch (thrown) {
      cause = thrown;
    }
    if (Date.now() > deadline) throw new Error(`Not so within ${withinMs} ms: ${condition.toString()}\n${seen()}`, { cause });
    await pause(40);
  }
}

/** True if `condition` held at every look during `forMs`: how a test shows that something does not happen any more. */
export async function stays(condition: () => boolean, forMs: number): Promise<boolean> {
  const end = Date.now() + forMs;
  while (Date.now() < end) {
    if (!condition()) return false;
    await pause(40);
  }
  return condition();
}
