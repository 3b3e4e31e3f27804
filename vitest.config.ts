import { defineConfig } from "vitest/config";

/** A shared machine may starve a real program for seconds: what fails there is looked at again. At a person's desk it fails at once. */
const retry = process.env["CI"] ? 2 : 0;

/** Three suites without an editor: what needs only this machine, what looks at the extension in a browser, what needs real agents. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          retry,
          include: ["test/unit/**/*.test.ts"],
          globalSetup: ["test/support/buildOnce.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "ui",
          retry,
          include: ["test/ui/**/*.test.ts"],
          setupFiles: ["test/ui/support/onFailure.ts"],
          expect: { poll: { timeout: 15_000 } },
          testTimeout: 120_000,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      { test: { name: "real", retry, include: ["test/real/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 300_000, fileParallelism: false } },
    ],
  },
});
