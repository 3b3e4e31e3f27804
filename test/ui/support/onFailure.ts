import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";
import { openWorkbenches } from "./workbench.ts";

const folder = join(import.meta.dirname, "../../../.results/failed");

/** What was to be seen, and what was said of the extension, when a test failed. */
afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  mkdirSync(folder, { recursive: true });
  for (const { page, complaints } of openWorkbenches) {
    const path = join(folder, `${task.name.replaceAll(/[^\w]+/g, "-")}.png`);
    await page.screenshot({ path });
    console.error(`What was to be seen: ${path}\n${complaints.join("\n")}`);
  }
});
