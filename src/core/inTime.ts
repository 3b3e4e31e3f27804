/** What `work` tells; rejects where it tells nothing within this time, or the wait is cancelled: reading from a share that hangs can't itself be cancelled. */
export async function inTime<T>(work: Promise<T>, withinMs: number, signal: AbortSignal): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const cancel = (): void => reject(signal.reason);
  const timer = setTimeout(() => reject(new Error(`no answer within ${withinMs < 1_000 ? `${withinMs} ms` : `${withinMs / 1_000} s`}`)), withinMs);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  try {
    return await Promise.race([over, work]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}
