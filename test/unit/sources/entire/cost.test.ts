import childProcess from "node:child_process";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { aRepository, aState, recordsIn, stateFolderOf, writeState } from "../../../support/entire.ts";
import { censusOf } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";

test("500 states cost one look into their folder, and what has changed since is all that is read again", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  for (let at = 0; at < 500; at++) longAgo(writeState(app, aState(`s-${at}`)));
  const source = createEntireSource({ repositories: [app], agents: [] });
  const counted = countCalls(stateFolderOf(app));
  const read = async (): Promise<{ readonly listed: number; readonly opened: number; readonly folders: number; readonly programs: number }> => {
    counted.reset();
    const listed = (await recordsIn(source, censusOf())).length;
    return { listed, ...counted.now() };
  };

  expect(await read()).toEqual({ listed: 500, opened: 500, folders: 1, programs: 1 });
  expect(await read()).toEqual({ listed: 500, opened: 0, folders: 1, programs: 0 });
  for (const id of ["s-3", "s-300", "new"]) longAgo(writeState(app, aState(id, { phase: "idle" })));
  expect(await read()).toEqual({ listed: 501, opened: 3, folders: 1, programs: 0 });
  expect(await read()).toEqual({ listed: 501, opened: 0, folders: 1, programs: 0 });
});

test("what may be written once more without a trace in its times is read again each time", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const path = writeState(app, aState("a"));
  const soonEnough = Date.now() / 1000 + 3_600;
  utimesSync(path, soonEnough, soonEnough);
  const source = createEntireSource({ repositories: [app], agents: [] });
  const counted = countCalls(stateFolderOf(app));
  for (let look = 1; look <= 3; look++) {
    await recordsIn(source, censusOf());
    expect(counted.now().opened).toBe(look);
  }
});

function longAgo(path: string): void {
  utimesSync(path, 1_000_000_000, 1_000_000_000);
}

function countCalls(states: string): {
  readonly reset: () => void;
  readonly now: () => { readonly opened: number; readonly folders: number; readonly programs: number };
} {
  const { open, readdir } = fs;
  const { spawn } = childProcess;
  let count = { opened: 0, folders: 0, programs: 0 };
  fs.open = (path, ...rest) => {
    if (String(path).startsWith(states)) count.opened++;
    return open(path, ...rest);
  };
  Reflect.set(fs, "readdir", (...args: Parameters<typeof readdir>) => {
    if (args[0] === states) count.folders++;
    return readdir(...args);
  });
  Reflect.set(childProcess, "spawn", (...args: Parameters<typeof spawn>) => {
    count.programs++;
    return spawn(...args);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.open = open;
    Reflect.set(fs, "readdir", readdir);
    Reflect.set(childProcess, "spawn", spawn);
    syncBuiltinESMExports();
  });
  return { reset: () => void (count = { opened: 0, folders: 0, programs: 0 }), now: () => count };
}
