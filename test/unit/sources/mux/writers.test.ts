import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openRegistry } from "../../../../src/sources/mux/registry.ts";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import type { Child } from "../../../support/children.ts";
import { aFolder } from "../../../support/folder.ts";
import { python } from "../../../support/python.ts";
import { makeRegistry, seenByPython, twins } from "./aRegistry.ts";

const rowCount = 25;
const raises = 4;
const writers = ["by us", "by us too", "by theirs", "by another"];
const names = Array.from({ length: rowCount }, (_, at) => `row-${at}`);

test.each(twins)(
  "two of ours and two in Python, 100 changes each, lose nothing, and whoever reads meanwhile always reads a whole text (twin: %s)",
  async (twin) => {
    await using folder = await aFolder();
    const fresh = Object.fromEntries([...writers, "all"].map((key) => [key, 0]));
    const path = makeRegistry(
      folder.path,
      twin,
      names.map((name) => ({ name, status: "running", pane: { cwd: "/w" }, ...fresh })),
    );
    const [us, usToo, theirs, another] = writers as [string, string, string, string];
    const reader = await ready(startChild([python, fileOf("registryReader.py"), path]));
    const started = await Promise.all([
      ready(ours(path, us)),
      ready(ours(path, usToo)),
      ready(inPython("locked", path, theirs)),
      ready(inPython(twin === "none" ? "locked" : "transactions", path, another)),
    ]);
    for (const writer of started) go(writer);
    const reports = (await Promise.all(started.map(lastWords))) as readonly Report[];
    go(reader);
    const seen = (await lastWords(reader)) as { readonly versions: number; readonly problems: readonly string[] };

    const full = { ...Object.fromEntries(writers.map((writer) => [writer, raises])), all: raises * writers.length };
    const [before] = seenByPython([path]);
    expect(before?.twin ?? before?.yaml).toEqual(expect.arrayContaining(names.map((name) => expect.objectContaining({ name, ...full }))));
    expect(seen.problems).toEqual([]);
    // Else it would show nothing: all four have written at the same time, and the reader has seen it.
    expect(Math.max(...reports.map(({ first }) => first))).toBeLessThan(Math.min(...reports.map(({ last }) => last)));
    expect(seen.versions).toBeGreaterThan(100);

    const { outcome } = await openRegistry(path).update(([at]) =>
      at ? { kind: "change", at, set: { status: "stopped" }, remove: [] } : { kind: "outcome", outcome: { kind: "busy" } },
    );
    expect(outcome).toEqual({ kind: "recorded" });
    const [after] = seenByPython([path]);
    expect(after?.isAgreed).toBe(true);
    const found = new Map(after?.yaml.map(({ name, status, all }) => [name, `${String(status)} ${String(all)}`]));
    expect(found).toEqual(new Map(names.map((name, at) => [name, `${at === 0 ? "stopped" : "running"} ${full.all}`])));
  },
);

interface Report {
  readonly first: number;
  readonly last: number;
}

function ours(path: string, me: string): Promise<Child> {
  const program = fileOf("../../../support/registryWriter.ts");
  return startChild([process.execPath, "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", program, path, me, String(rowCount), String(raises)]);
}

/** It rests between its changes, as programs do: without, it would have made all of its own before ours have begun. */
function inPython(how: "locked" | "transactions", path: string, me: string): Promise<Child> {
  return startChild([python, fileOf("registryWriter.py"), how, path, me, String(rowCount), String(raises), "0.1"]);
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

async function ready(starting: Promise<Child>): Promise<Child> {
  const child = await starting;
  await until(() => child.said().startsWith("ready\n"));
  return child;
}

function go(child: Child): void {
  child.process.stdin?.write("go\n");
}

/** What it says last, once it has ended well. */
async function lastWords(child: Child): Promise<unknown> {
  expect(await child.ended).toBe(0);
  if (child.process.stdout && !child.process.stdout.readableEnded) await once(child.process.stdout, "end");
  return JSON.parse(child.said().trim().split("\n").at(-1) ?? "");
}
