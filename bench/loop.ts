/** Watches the event loop: the longest time for which nothing else could run, until it is asked. */
export function watchLoop(): () => number {
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  };
  const timer = setInterval(look, 1);
  return () => {
    look();
    clearInterval(timer);
    return longest;
  };
}

/** The longest block while this was done. Begun and ended by a turn of the loop of its own, so that all of it counts and nothing else. */
export async function longestBlockOf(work: () => Promise<unknown>): Promise<number> {
  await turn();
  const longest = watchLoop();
  await work();
  await turn();
  return longest();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
