import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openLedger } from "../../../../src/sources/ledger/ledgerSource.ts";
import { tryFileLock } from "../../../../src/system/fileLock.ts";
import { aSession, aTurn, pid } from "../../../support/facets.ts";
import { aLedger, nobody, picture, records, signal } from "./book.ts";
import { living } from "./entries.ts";

const many = (count: number) => Array.from({ length: count }, (_, at) => living(41 + at, `conversation ${at}`));

test("300 first sightings take the lock once, and sightings that are no news not at all", async () => {
  const { ledger, lines, folder } = await aLedger();
  const locksTaken = await countedLocks(folder);
  expect((await ledger.noteAll(many(300))).map(({ process }) => process?.pid)).toEqual(many(300).map((_, at) => 41 + at));
  expect(await lines()).toHaveLength(300);
  expect(await locksTaken()).toBe(1);
  await ledger.noteAll(many(300));
  expect(await lines()).toHaveLength(300);
  expect(await locksTaken()).toBe(1);
});

test("what one session of a look adds is seen by the next: a conversation handed on, and ids that are not taken twice", async () => {
  const { ledger } = await aLedger();
  await ledger.note(living(41, "A"));
  await ledger.noteAll([living(41, "B"), living(77, "A")]);
  await ledger.noteAll([living(41, "C"), living(77, "A")]);
  const all = await records(ledger);
  expect(all.map(({ conversation, process, says }) => [conversation?.id, process?.pid, says.value])).toEqual([
    ["A", 77, "active"],
    ["B", 41, "ended"],
    ["C", 41, "active"],
  ]);
});

test("what runs in a server of many is passed over", async () => {
  const { ledger } = await aLedger();
  expect(await ledger.noteAll([aSession(aTurn()), living(41, "A")])).toMatchObject([{ process: pid(41) }]);
  expect(await picture(ledger)).toEqual(["A active gone"]);
});

test("while somebody else keeps the lock, the answer comes all the same, and the list says that it was not written", async () => {
  const { ledger, folder } = await aLedger();
  {
    await using _theirs = await tryFileLock(join(folder, "ledger.lock"));
    expect(await ledger.noteAll([living(41, "A")])).toMatchObject([{ process: pid(41) }]);
    expect(await sentences(ledger)).toEqual(["The ledger can't be written: somebody else holds its lock. What is seen alive is not remembered."]);
  }
  await ledger.noteAll([living(41, "A")]);
  expect(await sentences(ledger)).toEqual([]);
  expect(await picture(ledger)).toEqual(["A active gone"]);
});

test("a folder that can't be written is a notice and never a rejection", async () => {
  const { folder } = await aLedger();
  await writeFile(join(folder, "file"), "");
  const ledger = openLedger(join(folder, "file", "state"));
  expect(await ledger.noteAll([living(41, "A")])).toMatchObject([{ process: pid(41) }]);
  expect(await sentences(ledger)).toEqual([expect.stringContaining("can't be written: ENOTDIR")]);
});

test("a fault of ours in a note is a notice too: nobody waits for a note, so nobody would hear of it", async () => {
  const { ledger } = await aLedger();
  const broken = Object.defineProperty({ ...living(41, "A") }, "run", { get: () => expect.fail("a fault") });
  expect(await ledger.noteAll([broken])).toEqual([]);
  expect(await sentences(ledger)).toEqual([expect.stringContaining("a fault")]);
  await expect(ledger.note(broken)).rejects.toThrow("a fault");
});

const sentences = async (ledger: ReturnType<typeof openLedger>) => (await ledger.read(nobody, signal)).notices.map(({ sentence }) => sentence);

/** How often flock(1) was run: it stands in a folder of its own before the others. */
async function countedLocks(folder: string): Promise<() => Promise<number>> {
  const [programs, count] = [join(folder, "programs"), join(folder, "count")];
  await mkdir(programs);
  await writeFile(join(programs, "flock"), `#!/bin/sh\necho >> '${count}'\nPATH='${process.env["PATH"]}' exec flock "$@"\n`);
  await chmod(join(programs, "flock"), 0o755);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", `${programs}${delimiter}${process.env["PATH"]}`);
  return async () => (await readFile(count, "utf8")).length;
}
