import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildProduct } from "../scripts/build.ts";
import { measureRefresh } from "./refresh.ts";
import { measureRegistry } from "./registry.ts";
import type { RegistryFigures } from "./registry.ts";
import { measureStop } from "./stopLatency.ts";

// npm run bench: ratios and counts of one run on this machine, as a Markdown table. Nothing here fails a build.
await buildProduct();
const refresh = await measureRefresh();
const twin = await measureRegistry("twin");
const yaml = await measureRegistry("yaml");
const stop = await measureStop();
const kilobytes = (statSync(fileURLToPath(new URL("../dist/extension.js", import.meta.url))).size / 1000).toFixed(0);

console.log(`
| what | measured | budget |
| --- | --- | --- |
| subprocesses of a refresh (300 tmux sessions of one server, 1,000 past sessions) | ${refresh.subprocesses} | 1 |
| a refresh beside one bare \`tmux list-panes -a\` | ${ratioOf(refresh)} | 4× |
| longest block of the event loop meanwhile | ${refresh.longestBlockMs.toFixed(0)} ms | 50 ms |
| subprocesses of a refresh (300 tmux sessions of one server, 1,000 rows of a registry with a twin; without one) | ${twin.subprocesses}; ${yaml.subprocesses} | 1 |
| such a refresh beside one bare \`tmux list-panes -a\` | ${ratioOf(twin)}; ${ratioOf(yaml)} | 4× |
| longest block of the event loop: first read of the twin; refreshes; refreshes each after somebody wrote to it | ${blocksOf(twin)} | 50 ms |
| the same of the YAML file alone | ${blocksOf(yaml)} | – |
| stop, from the request to the verdict, of an agent that leaves after 50 ms | ${stop.verdictMs.toFixed(0)} ms | – |
| the same by fixed sleeps (3 s + 5 s) | ${stop.fixedSleepMs.toFixed(0)} ms | – |
| \`dist/extension.js\` | ${kilobytes} kB | 600 kB |
`);
process.exit(0);

function ratioOf({ refreshMs, bareMs }: { readonly refreshMs: number; readonly bareMs: number }): string {
  return `${(refreshMs / bareMs).toFixed(1)}× (${refreshMs.toFixed(0)} ms, ${bareMs.toFixed(0)} ms)`;
}

function blocksOf({ firstReadBlockMs, refreshBlockMs, rereadBlockMs }: RegistryFigures): string {
  return [firstReadBlockMs, refreshBlockMs, rereadBlockMs].map((ms) => `${ms.toFixed(0)} ms`).join("; ");
}
