import { closeSync, openSync } from "node:fs";
import { openLinuxProcesses } from "../../../src/system/linuxProcesses.ts";

// Looks at the processes with no descriptor left, and again with all that it may have: says what each look found of the process that is named.
const pid = Number(process.argv[2]);
const { signal } = new AbortController();
const table = await openLinuxProcesses();
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // Now there is none left.
}
const words = async (look: Promise<boolean>): Promise<string> =>
  look.then(
    (isThere) => (isThere ? "there" : "gone"),
    (error: unknown) => String(error).slice(0, 13),
  );
const found = [
  await words(table.readAll(signal).then((all) => all.has(pid))),
  await words(table.read(pid).then((entry) => entry !== undefined)),
  await words(table.readThese([pid]).then((all) => all.has(pid))),
];
for (const descriptor of taken) closeSync(descriptor);
found.push(await words(table.readAll(signal).then((all) => all.get(pid)?.program?.file !== undefined)));
console.log(found.join(", "));
