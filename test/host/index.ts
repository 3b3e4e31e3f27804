import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import Mocha from "mocha";

/** What VS Code calls in its extension host. It throws if a test failed, which is how VS Code's exit code tells it. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 60_000, color: true, forbidOnly: true, forbidPending: true });
  for (const name of (await readdir(__dirname)).toSorted()) {
    if (name.endsWith(".test.js")) mocha.addFile(join(__dirname, name));
  }
  const counts = { passed: 0, failed: 0, skipped: 0 };
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on("pass", () => counts.passed++)
      .on("fail", () => counts.failed++)
      .on("pending", () => counts.skipped++);
  });
  const results = process.env["SESSION_WARDEN_TESTS_RESULTS"];
  if (results) {
    await mkdir(dirname(results), { recursive: true });
    await writeFile(results, JSON.stringify(counts));
  }
  if (counts.failed > 0) throw new Error(`${counts.failed} tests failed.`);
}
