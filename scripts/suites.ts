import { buildProduct } from "./build.ts";
import { findDesktop } from "./desktop.ts";
import { check } from "./suites/check.ts";
import type { Counts } from "./suites/counts.ts";
import { forget, judge, lineOf, none, store, sum } from "./suites/counts.ts";
import { host } from "./suites/host.ts";
import { packaged } from "./suites/package.ts";
import { unit } from "./suites/unit.ts";
import { vitest } from "./suites/vitest.ts";
import { setUpWebHost } from "./webHost/setUp.ts";

export interface Suite {
  readonly name: string;
  readonly says: string;
  run(): Promise<Counts>;
  /** It shows what is built, so it can't run where the build failed. */
  readonly needsBuild?: true;
  /** It looks into a window, in a world of processes of its own: those of an editor's run beside those of a browser's, since most of the time a window is waited for. */
  readonly window?: "editor" | "browser";
}

/** What `npm test` runs, in this order. */
export const suites: readonly Suite[] = [
  { name: "check", says: "lint, types, format, dead code", run: check },
  { name: "unit", says: "units, and what they do to real processes, files and tmux", run: unit },
  { name: "host", says: "inside a real VS Code", run: host, needsBuild: true, window: "editor" },
  { name: "package", says: "the package, installed into a clean VS Code", run: packaged, needsBuild: true, window: "editor" },
  { name: "ui", says: "the view in a browser", run: () => vitest("ui"), needsBuild: true, window: "browser" },
];

/** Runs them all, whatever fails; prints the line of their sum last. Resolves with the exit code. */
export async function runSuites(chosen: readonly Suite[]): Promise<number> {
  const builds = chosen.some(({ needsBuild }) => needsBuild) ? await build() : undefined;
  // What is built is what all of them look at: to build it anew would write what the others are just reading.
  if (builds) process.env["SESSION_WARDEN_BUILT"] = "1";
  const { alone = [], editor = [], browser = [] } = Object.groupBy(chosen, ({ window }) => window ?? "alone");
  const results = await oneAfterTheOther(alone, builds);
  if (editor.length + browser.length > 0 && findDesktop() === undefined) await setUpWebHost();
  for (const each of await Promise.all([oneAfterTheOther(editor, builds), oneAfterTheOther(browser, builds)])) results.push(...each);
  console.log("");
  for (const { name, counts, seconds } of results) console.log(`${counts.failed === 0 ? "✓" : "✗"} ${name.padEnd(7)} ${lineOf(counts)} (${seconds} s)`);
  const total = sum(results.map(({ counts }) => counts));
  console.log(lineOf(total));
  return total.failed === 0 ? 0 : 1;
}

interface Outcome {
  readonly name: string;
  readonly counts: Counts;
  readonly seconds: string;
}

async function oneAfterTheOther(chosen: readonly Suite[], builds: boolean | undefined): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const suite of chosen) {
    console.log(`\n━━ ${suite.name}: ${suite.says}`);
    const began = Date.now();
    const counts = suite.needsBuild && builds === false ? skippedForBuild() : await runOne(suite);
    outcomes.push({ name: suite.name, counts, seconds: ((Date.now() - began) / 1000).toFixed(1) });
  }
  return outcomes;
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
