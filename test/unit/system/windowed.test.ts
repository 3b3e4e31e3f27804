import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makePrivatePlace } from "../../../scripts/privatePlace.ts";
import type { ProcessEntry } from "../../../src/core/census.ts";
import { mayHaveWindow } from "../../../src/system/windowed.ts";
import { until } from "../../real/support/until.ts";
import { startChild } from "../../support/children.ts";
import { anEntry, pid } from "../../support/facets.ts";

/** A process that has a file of this name in its memory. */
async function holding(name: string, over: Partial<ProcessEntry> = {}): Promise<ProcessEntry> {
  const place = makePrivatePlace();
  onTestFinished(() => place[Symbol.dispose]());
  const file = join(place.folder, name);
  copyFileSync("/bin/sleep", file);
  const child = await startChild([file, "60"]);
  await until(() => readFileSync(`/proc/${child.pid}/maps`, "latin1").includes(file));
  return anEntry(child.identity, over);
}

test.each(["libX11.so.6", "libxcb.so.1", "libwayland-client.so.0"])("what has loaded %s may have a window", async (library) => {
  expect(await mayHaveWindow([anEntry(pid(process.pid)), await holding(library)])).toBe(true);
});

test("what has loaded nothing of a screen's has none", async () => {
  expect(await mayHaveWindow([await holding("libc.so.6")])).toBe(false);
});

test("a browser that runs headless has none, and neither has what it runs", async () => {
  const root = anEntry(pid(process.pid), { argv: ["node", "driver.js"] });
  const browser = await holding("libX11.so.6", { parentPid: process.pid, argv: ["chrome", "--headless=new"] });
  const renderer = await holding("libxcb.so.1", { parentPid: browser.identity.pid, argv: ["chrome", "--type=renderer"] });
  expect(await mayHaveWindow([root, browser, renderer])).toBe(false);
  expect(await mayHaveWindow([root, { ...browser, argv: ["chrome", "--remote-debugging-port=0"] }, renderer])).toBe(true);
});
