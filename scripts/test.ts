// npm test [-- SUITE …]
import { runSuites, suites } from "./suites.ts";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(", ")}. There are: ${suites.map(({ name }) => name).join(", ")}.`);
  process.exitCode = 2;
} else {
  process.exitCode = await runSuites(names.length === 0 ? suites : suites.filter(({ name }) => names.includes(name)));
}
