import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import type { Child } from "../../../support/children.ts";
import { aRepository, aState, readBack, writeState } from "../../../support/entire.ts";
import { aFolder } from "../../../support/folder.ts";
import { python } from "../../../support/python.ts";

test.each(["stays", "is removed again and again"])(
  "two windows that end a session and two other programs that go on with it, 100 changes each on one file: none is lost, where the lock file %s",
  async (how) => {
    await using folder = await aFolder();
    const app = aRepository(join(folder.path, "app"));
    const path = writeState(app, aState("a", { of_a_version_to_come: { big: 12_345 }, checkpoint_count: 1 }));
    const peer = (kind: string, me: string): Promise<Child> => ready(startChild([python, fileOf("statePeer.py"), kind, join(app, ".git"), "a", me]));
    const theirs = [await peer("count", "by one"), await peer("count", "by another")];
    const reapers = how === "stays" ? [] : [await peer("reap", "")];
    const ours = await Promise.all(
      [0, 1].map(() => ready(startChild([process.execPath, "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", fileOf("endStates.ts"), app, "a"]))),
    );
    for (const child of [...theirs, ...reapers, ...ours]) child.process.stdin?.write("go\n");

    for (const child of ours) expect(await child.ended).toBe(0);
    const reports = [];
    for (const child of [...theirs, ...reapers]) {
      child.process.stdin?.write("finish\n");
      expect(await child.ended).toBe(0);
      reports.push(JSON.parse(child.said().trim().split("\n").at(-1) ?? "") as { readonly seen?: number; readonly reaped?: number });
    }

    const state = readBack(path);
    const ends = Number(state["ends"]) + (state["phase"] === "ended" ? 1 : 0);
    expect([state["by one"], state["by another"], ends]).toEqual([100, 100, 200]);
    expect(state).toMatchObject({ session_id: "a", of_a_version_to_come: { big: 12_345 }, checkpoint_count: 1 });
    expect(state).not.toHaveProperty("fully_condensed");
    if (how !== "stays") expect(reports.at(-1)?.reaped).toBeGreaterThan(10);
    else expect(existsSync(join(app, ".git/entire-session-locks/a.lock"))).toBe(true);
  },
  120_000,
);

async function ready(starting: Promise<Child>): Promise<Child> {
  const child = await starting;
  await until(() => child.said().startsWith("ready\n"));
  return child;
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
