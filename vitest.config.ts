import { defineConfig } from "vitest/config";

/** Three suites without an editor: what needs only this machine, what looks at the extension in a browser, what needs real agents. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], globalSetup: ["test/support/buildOnce.ts"], testTimeout: 20_000, hookTimeout: 20_000 } },
      {
        test: {
          name: "ui",
          include: ["test/ui/**/*.test.ts"],
          setupFiles: ["test/ui/support/onFailure.ts"],
          expect: { poll: { timeout: 15_000 } },
          testTimeout: 120_000,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      { test: { name: "real", include: ["test/real/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 300_000, fileParallelism: false } },
    ],
  },
});
