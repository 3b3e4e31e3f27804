import { buildProduct } from "./build.ts";
import { check } from "./suites/check.ts";
import type { Counts } from "./suites/counts.ts";
import { forget, judge, lineOf, none, store, sum } from "./suites/counts.ts";
import { host } from "./suites/host.ts";
import { packaged } from "./suites/package.ts";
import { unit } from "./suites/unit.ts";
import { vitest } from "./suites/vitest.ts";

export interface Suite {
  readonly name: string;
  readonly says: string;
  run(): Promise<Counts>;
  /** It shows what is built, so it can't run where the build failed. */
  readonly needsBuild?: true;
}

/** What `npm test` runs, in this order. */
export const suites: readonly Suite[] = [
  { name: "check", says: "lint, types, format, dead code", run: check },
  { name: "unit", says: "units, and what they do to real processes, files and tmux", run: unit },
  { name: "host", says: "inside a real VS Code", run: host, needsBuild: true },
  { name: "package", says: "the package, installed into a clean VS Code", run: packaged, needsBuild: true },
  { name: "ui", says: "the view in a browser", run: () => vitest("ui"), needsBuild: true },
];

/** Runs them all, whatever fails; prints the line of their sum last. Resolves with the exit code. */
export async function runSuites(chosen: readonly Suite[]): Promise<number> {
  const builds = chosen.some(({ needsBuild }) => needsBuild) ? await build() : undefined;
  const results: { readonly name: string; readonly counts: Counts; readonly seconds: string }[] = [];
  for (const suite of chosen) {
    console.log(`\n━━ ${suite.name}: ${suite.says}`);
    const began = Date.now();
    const counts = suite.needsBuild && builds === false ? skippedForBuild() : await runOne(suite);
    results.push({ name: suite.name, counts, seconds: ((Date.now() - began) / 1000).toFixed(1) });
  }
  console.log("");
  for (const { name, counts, seconds } of results) console.log(`${counts.failed === 0 ? "✓" : "✗"} ${name.padEnd(7)} ${lineOf(counts)} (${seconds} s)`);
  const total = sum(results.map(({ counts }) => counts));
  console.log(lineOf(total));
  return total.failed === 0 ? 0 : 1;
}

async function runOne(suite: Suite): Promise<Counts> {
  forget(suite.name);
  const counts = await suite.run().catch((error: unknown) => {
    console.error(error);
    return judge(undefined, undefined);
  });
  store(suite.name, counts);
  return counts;
}

async function build(): Promise<boolean> {
  try {
    await buildProduct();
    return true;
  } catch {
    return false; // esbuild has said why
  }
}

function skippedForBuild(): Counts {
  console.error("Not run: the build failed, see above.");
  return { ...none, failed: 1 };
}
