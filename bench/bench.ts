import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildProduct } from "../scripts/build.ts";
import { measureRefresh } from "./refresh.ts";
import { measureStop } from "./stopLatency.ts";

// npm run bench: ratios and counts of one run on this machine, as a Markdown table. Nothing here fails a build.
await buildProduct();
const refresh = await measureRefresh();
const stop = await measureStop();
const kilobytes = (statSync(fileURLToPath(new URL("../dist/extension.js", import.meta.url))).size / 1000).toFixed(0);

console.log(`
| what | measured | budget |
| --- | --- | --- |
| subprocesses of a refresh (300 tmux sessions of one server, 1,000 past sessions) | ${refresh.subprocesses} | 1 |
| a refresh beside one bare \`tmux list-panes -a\` | ${(refresh.refreshMs / refresh.bareMs).toFixed(1)}× (${refresh.refreshMs.toFixed(0)} ms, ${refresh.bareMs.toFixed(0)} ms) | 4× |
| longest block of the event loop meanwhile | ${refresh.longestBlockMs.toFixed(0)} ms | 50 ms |
| stop, from the request to the verdict, of an agent that leaves after 50 ms | ${stop.verdictMs.toFixed(0)} ms | – |
| the same by fixed sleeps (3 s + 5 s) | ${stop.fixedSleepMs.toFixed(0)} ms | – |
| \`dist/extension.js\` | ${kilobytes} kB | 600 kB |
`);
process.exit(0);
