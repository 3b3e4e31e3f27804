import { globSync } from "node:fs";
import { buildProduct } from "../build.ts";
import type { Counts } from "./counts.ts";
import { sum } from "./counts.ts";
import { root } from "./run.ts";
import { vitest } from "./vitest.ts";

/** In lanes beside each other, since most of the time a program is waited for. Each is a world of processes of its own: a tmux server that one of them stops would be seen by all. */
export async function unit(): Promise<Counts> {
  await buildProduct();
  const all = globSync("test/unit/**/*.test.ts", { cwd: root }).toSorted();
  const lanes = Map.groupBy(all, laneOf);
  return sum(await Promise.all([...lanes.values()].map((files) => vitest("unit", files, { env: { SESSION_WARDEN_BUILT: "1" } }))));
}

function laneOf(file: string): "faces" | "agents" | "books" | "running" {
  const name = file.slice("test/unit/".length);
  if (/^(cli|vscode|core)\//.test(name)) return "faces";
  if (/^(agents|system\/erase)\//.test(name)) return "agents";
  return /^sources\/(mux|ledger|entire|tracking)\//.test(name) ? "books" : "running";
}
