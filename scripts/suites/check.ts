import type { Counts } from "./counts.ts";
import { run } from "./run.ts";

const checks = [
  { says: "lint, with types and layers", argv: ["oxlint", "--type-aware", "--type-check"] },
  { says: "types", argv: ["tsc", "--noEmit", "-p", "."] },
  { says: "format", argv: ["oxfmt", "--check"] },
  { says: "dead code", argv: ["knip"] },
] as const;

/** Every check runs, whatever the others said. */
export async function check(): Promise<Counts> {
  let passed = 0;
  for (const { says, argv } of checks) {
    const exitCode = await run(argv);
    console.log(`${exitCode === 0 ? "✓" : "✗"} ${says} (${argv.join(" ")})`);
    if (exitCode === 0) passed++;
  }
  return { passed, failed: checks.length - passed, skipped: 0 };
}
