import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { becomeLeader } from "../../../src/system/leader.ts";
import { tryFileLock } from "../../../src/system/fileLock.ts";
import { startChild } from "../../support/children.ts";
import { aFolder } from "../../support/folder.ts";
import { stays, until } from "../../real/support/until.ts";

const askAgainMs = 30;

/** A window that wants to lead, and what has happened to it so far. */
function aWindow(folder: string): { events: string[]; close: () => void } {
  const events: string[] = [];
  const leading = becomeLeader(
    folder,
    () => {
      events.push("leads");
      return { [Symbol.dispose]: () => void events.push("led") };
    },
    askAgainMs,
  );
  return { events, close: () => leading[Symbol.dispose]() };
}

test("of two windows one leads, and when it closes the other does", async () => {
  await using folder = await aFolder();
  const first = aWindow(folder.path);
  await until(() => first.events.includes("leads"));
  const second = aWindow(folder.path);
  expect(await stays(() => second.events.length === 0, askAgainMs * 5)).toBe(true);
  first.close();
  await until(() => second.events.includes("leads"));
  second.close();
  expect([first.events, second.events]).toEqual([
    ["leads", "led"],
    ["leads", "led"],
  ]);
});

test("when the one that leads is killed, the other does", async () => {
  await using folder = await aFolder();
  const first = await startChild([process.execPath, fileURLToPath(new URL("lead.ts", import.meta.url)), folder.path]);
  await until(() => first.said() === "leads\n");
  const second = aWindow(folder.path);
  first.process.kill("SIGKILL");
  await first.ended;
  await until(() => second.events.includes("leads"));
  second.close();
});

test("a window that closes before it leads never does", async () => {
  await using folder = await aFolder();
  const lock = await tryFileLock(join(folder.path, `leader-${hostname()}.lock`));
  const waits = aWindow(folder.path);
  const asksAtThisMoment = aWindow(folder.path);
  asksAtThisMoment.close();
  waits.close();
  await lock?.[Symbol.asyncDispose]();
  const next = aWindow(folder.path);
  await until(() => next.events.includes("leads"));
  next.close();
  expect([waits.events, asksAtThisMoment.events]).toEqual([[], []]);
});

test("where several hosts share a home each has a window that leads", async () => {
  await using folder = await aFolder();
  await using ofAnotherHost = await tryFileLock(join(folder.path, "leader-another-host.lock"));
  expect(ofAnotherHost).toBeDefined();
  const window = aWindow(folder.path);
  await until(() => window.events.includes("leads"));
  window.close();
  expect(await readdir(folder.path)).toContain(`leader-${hostname()}.lock`);
});

test("a folder that can't be written: nobody leads, and nothing is thrown", async () => {
  const nowhere = aWindow("/dev/null/state");
  expect(await stays(() => nowhere.events.length === 0, askAgainMs * 3)).toBe(true);
  nowhere.close();
});
