import { setTimeout as delay } from "node:timers/promises";

/** Waits for a condition, never for a duration. Throws in words if it doesn't come true. */
export async function until<T>(what: string, look: () => T | Promise<T>, withinMs = 20_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs;
  while (true) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > deadline) throw new Error(`This did not come true within ${withinMs / 1000} s: ${what}.`);
    await delay(50);
  }
}
