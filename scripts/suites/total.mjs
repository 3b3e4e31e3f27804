// Prints the sum of what the named suites wrote to .results; one that wrote nothing has failed. Plain JavaScript: it runs on any Node.
import { readFileSync } from "node:fs";

const total = { passed: 0, failed: 0, skipped: 0 };
for (const suite of process.argv.slice(2)) {
  const counts = read(suite);
  for (const name of Object.keys(total)) total[name] += counts[name];
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;

function read(suite) {
  try {
    return JSON.parse(readFileSync(new URL(`../../.results/${suite}.json`, import.meta.url), "utf8"));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
