import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const none: Counts = { passed: 0, failed: 0, skipped: 0 };

export function sum(all: readonly Counts[]): Counts {
  return all.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }), none);
}

/** The line by which a run is judged: alone, and the last one. */
export function lineOf({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** A suite that broke down, or ran nothing, has failed, whatever it counted. */
export function judge(counts: Counts | undefined, exitCode: number | undefined): Counts {
  if (counts === undefined) return { ...none, failed: 1 };
  const isBroken = exitCode !== 0 || counts.passed === 0;
  return isBroken && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

export function resultsFile(suite: string): string {
  return fileURLToPath(new URL(`../../.results/${suite}.json`, import.meta.url));
}

export function forget(suite: string): void {
  rmSync(resultsFile(suite), { force: true });
}

export function store(suite: string, counts: Counts): void {
  mkdirSync(dirname(resultsFile(suite)), { recursive: true });
  writeFileSync(resultsFile(suite), `${JSON.stringify(counts)}\n`);
}

/** Undefined if the suite wrote nothing that can be read. */
export function findCounts(suite: string): Counts | undefined {
  try {
    return JSON.parse(readFileSync(resultsFile(suite), "utf8")) as Counts;
  } catch {
    return undefined;
  }
}
