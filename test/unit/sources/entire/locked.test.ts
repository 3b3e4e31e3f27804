import { existsSync, lstatSync, mkdirSync, renameSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { realCensus, soon, tell } from "../../../support/entire.ts";
import { aPeer, aPlace } from "../../../support/entirePlace.ts";

test("held by another program: busy after two seconds, and nothing is written; when that is killed, it is done", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  const peer = await aPeer("hold", place);
  const asked: unknown[] = [];
  const began = Date.now();
  expect(await tell(place.source, record, undefined, (fresh) => asked.push(fresh) > 0)).toEqual({ kind: "busy" });
  expect(Date.now() - began).toBeGreaterThan(1_500);
  expect([asked, readFileSync(place.path, "utf8")]).toEqual([[], before]);
  peer.process.kill("SIGKILL");
  await peer.ended;
  expect(await tell(place.source, record)).toEqual({ kind: "recorded" });
});

test("where the lock file is another by now, the lock is the one that whoever comes next will ask for", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const lock = join(place.app, ".git/entire-session-locks/a.lock");
  const former = await aPeer("hold", place);
  rmSync(lock);
  const present = await aPeer("hold", place);
  expect(await tell(place.source, record)).toEqual({ kind: "busy" });
  present.process.stdin?.end();
  await present.ended;
  // The former holds what nobody can find any more.
  expect(await tell(place.source, record)).toEqual({ kind: "recorded" });
  former.process.stdin?.end();
});

test.each(["entire-session-locks", "entire-sessions"])("%s that is a link is not followed, and nothing is written", async (name) => {
  await using place = await aPlace();
  const record = await place.look();
  const [folder, elsewhere] = [join(place.app, ".git", name), join(place.app, "elsewhere")];
  mkdirSync(elsewhere);
  rmSync(folder, { recursive: true, force: true });
  symlinkSync(elsewhere, folder);
  expect(await tell(place.source, record)).toEqual({ kind: "failed", reason: `${name} is a symbolic link` });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("a state file that is a link by now is not followed, neither to look nor to write", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const elsewhere = join(place.app, "a.json");
  renameSync(place.path, elsewhere);
  symlinkSync(elsewhere, place.path);
  const before = readFileSync(elsewhere, "utf8");
  const unreadable = "its state file can't be read, and is left alone";
  expect(await place.source.lookAgain(record, await realCensus(), soon())).toEqual({ kind: "unreachable", reason: unreadable });
  expect(await tell(place.source, record)).toEqual({ kind: "failed", reason: unreadable });
  expect([readFileSync(elsewhere, "utf8"), lstatSync(place.path).isSymbolicLink()]).toEqual([before, true]);
});

test("without a program that can lock, that is told, and nothing is written", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  const environment = { ...process.env };
  onTestFinished(() => void (process.env = environment));
  process.env = { ...environment, PATH: join(place.app, "nothing") };
  expect(await tell(place.source, record)).toEqual({ kind: "failed", reason: "Neither flock nor perl is on PATH, so no lock can be taken." });
  expect(readFileSync(place.path, "utf8")).toBe(before);
});

test("cancelled before it was written: nothing is", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  expect(await place.source.record?.(record, { kind: "exited", conversation: undefined }, () => true, AbortSignal.abort())).toMatchObject({ kind: "failed" });
  expect(readFileSync(place.path, "utf8")).toBe(before);
});

test("on another machine's disk no lock is sure: nothing is written there", async () => {
  await using place = await aPlace();
  const record = await place.look();
  const before = readFileSync(place.path, "utf8");
  const { statfs } = fs;
  onTestFinished(() => {
    fs.statfs = statfs;
    syncBuiltinESMExports();
  });
  Reflect.set(fs, "statfs", async () => ({ type: 0x6969 }));
  syncBuiltinESMExports();
  expect(await tell(place.source, record)).toEqual({ kind: "failed", reason: "its repository is on another machine's disk, where no lock is sure" });
  expect([readFileSync(place.path, "utf8"), existsSync(join(place.app, ".git/entire-session-locks"))]).toEqual([before, false]);
});
