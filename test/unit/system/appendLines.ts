import { once } from "node:events";
import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

// Another program: when it is told to, it appends numbered lines, `each` of them to a file that it has opened once; and then it may hold it open.
const [path = "", count, each, last] = process.argv.slice(2);

console.log("ready");
await once(process.stdin, "data");
process.stdin.destroy();
console.log("begun");
for (let at = 0; at < Number(count);) {
  if (Number(each) === 1) {
    appendFileSync(path, `${at++}\n`);
    if (at % 40 === 0) await sleep(0);
    continue;
  }
  const file = openSync(path, "a");
  for (const end = Math.min(at + Number(each), Number(count)); at < end;) {
    writeSync(file, `${at++}\n`);
    // So that it takes a while: others are to have their turn amid it.
    if (at % 40 === 0) await sleep(0);
  }
  if (last !== "hold") closeSync(file);
}
console.log("ended");
if (last === "hold") setInterval(() => {}, 60_000);
