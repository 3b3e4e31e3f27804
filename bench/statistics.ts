/** Quoted are medians: single times on a shared machine say little. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The two in turn, so that a machine that gets slower meanwhile is slower for both. Milliseconds of each run. */
export async function inTurn(
  runs: number,
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
): Promise<{ readonly a: readonly number[]; readonly b: readonly number[] }> {
  const times = { a: [] as number[], b: [] as number[] };
  await a();
  await b();
  for (let run = 0; run < runs; run++) {
    times.a.push(await timed(a));
    times.b.push(await timed(b));
  }
  return times;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
