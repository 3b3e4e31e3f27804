import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { keyIn, look, realCensus, stoppedNow, tell } from "../../../support/entire.ts";

// A window that ends one session a hundred times, each time that somebody has taken it up again.
const [repository = "", id = ""] = process.argv.slice(2);
const source = createEntireSource({ repositories: [repository], agents: [] });
const census = await realCensus();

console.log("ready");
await once(process.stdin, "data");
process.stdin.destroy();
for (let ended = 0; ended < 100;) {
  const record = await look(source, keyIn(repository, id), repository, census);
  const outcome = record.says.value === "active" ? await tell(source, record, stoppedNow()) : { kind: "alreadySo" };
  if (outcome.kind === "recorded") ended++;
  else if (outcome.kind === "alreadySo") await pause(5);
  else if (outcome.kind !== "busy" && outcome.kind !== "changedMeanwhile") throw new Error(JSON.stringify(outcome));
}
console.log(JSON.stringify({ ended: 100 }));
