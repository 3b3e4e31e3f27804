import type { Counts } from "./counts.ts";
import { inVsCode } from "./inVsCode.ts";
import { root } from "./run.ts";

/** The extension as it lies here, under development. */
export async function host(): Promise<Counts> {
  return await inVsCode({ suite: "host", extension: root.replace(/\/$/, "") });
}
