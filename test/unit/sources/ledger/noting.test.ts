import { expect, test } from "vitest";
import { merge } from "../../../../src/core/merge.ts";
import { anEntry, aRun, aSession, aTurn, censusOf, now, pid, seen, talk } from "../../../support/facets.ts";
import { openLedger } from "../../../../src/sources/ledger/ledgerSource.ts";
import { aLedger, alive, nobody, picture, records, signal, tell } from "./book.ts";
import { living, livingRun } from "./entries.ts";

test("what was seen alive is in the book, as the record that the note gave back", async () => {
  const { ledger } = await aLedger();
  const noted = await ledger.note(living(41, "A", { cwd: "/app", configHome: "/home/someone/.claude" }));
  expect(noted).toMatchObject({ source: "ledger", firstKey: "process:41", process: pid(41), says: { value: "active" }, title: "fix login", cwd: "/app" });
  expect(noted.conversation).toMatchObject({ id: "A", toldBy: "ledger", home: "/home/someone/.claude" });
  expect(await records(ledger, alive(41))).toMatchObject([{ key: noted.key, process: pid(41), liveness: { value: "alive" } }]);
});

test("what is as it was is not written again", async () => {
  const { ledger, lines } = await aLedger();
  for (let times = 0; times < 3; times++) await ledger.note(living(41, "A"));
  expect(await lines()).toHaveLength(1);
});

test("that it works now, or is told by another way, is no news", async () => {
  const { ledger, lines } = await aLedger();
  await ledger.note(living(41, "A", { conversation: talk("A", { resumable: { value: true, seen: "its transcript was found", at: 1 } }) }));
  await ledger.note(living(41, "A", { activity: seen("working"), conversation: talk("A", { toldBy: "exit", resumable: seen(true, "found again") }) }));
  expect(await lines()).toHaveLength(1);
});

test.each([
  ["its title", { title: "fix logout" }],
  ["its folder", { cwd: "/api" }],
  ["whether it can be resumed", { conversation: talk("A", { resumable: seen(true) }) }],
])("%s is news", async (_what, over) => {
  const { ledger, lines } = await aLedger();
  await ledger.note(living(41, "A"));
  await ledger.note(living(41, "A", over));
  expect(await lines()).toHaveLength(2);
  expect(await records(ledger)).toHaveLength(1);
});

test("another window's clock, a second apart, is no news of the same process; of a new one its start is", async () => {
  const { ledger, lines, folder } = await aLedger();
  await ledger.note(living(41, "A", { startedAt: now - 5_000 }));
  await openLedger(folder).note(living(41, "A", { startedAt: now - 4_000 }));
  expect(await lines()).toHaveLength(1);
  const [record] = await records(ledger);
  if (record) await tell(ledger, record, { kind: "exited", conversation: undefined });
  expect(await ledger.note(living(77, "A", { startedAt: now - 4_000 }))).toMatchObject({ process: pid(77), startedAt: now - 4_000 });
});

test("/clear: the old conversation is left stopped and resumable, although its process goes on, and the row keeps its key", async () => {
  const { ledger } = await aLedger();
  await ledger.note(living(41, "A"));
  await ledger.note(living(41, "B"));
  expect(await picture(ledger, alive(41))).toEqual(["A ended gone", "B active alive"]);
  const sessions = merge([livingRun(41, "B"), ...(await records(ledger, alive(41)))], now);
  expect(sessions.map(({ key, run, conversation, status }) => [key, run !== undefined, conversation?.id, status.value, status.seen])).toEqual([
    ["process:41", true, "B", "idle", expect.anything()],
    [expect.stringMatching(/^ledger:/), false, "A", "stopped", "left for a new conversation"],
  ]);
});

test("/clear and back: the first conversation goes on in its own row", async () => {
  const { ledger } = await aLedger();
  for (const id of ["A", "B", "A"]) {
    await ledger.read(alive(41), signal);
    await ledger.note(living(41, id));
  }
  expect(await picture(ledger)).toEqual(["A active gone", "B ended gone"]);
});

test("an id that becomes known later is the same row's", async () => {
  const { ledger } = await aLedger();
  const { conversation: _, ...silent } = aRun();
  await ledger.note(aSession(silent));
  await ledger.note(living(41, "A"));
  expect(await picture(ledger)).toEqual(["A active gone"]);
});

test("a resumed conversation goes on in its old row, under its old key", async () => {
  const { ledger } = await aLedger();
  const before = await ledger.note(living(41, "A"));
  await tell(ledger, before, { kind: "exited", conversation: undefined });
  const after = await ledger.note(living(77, "A"));
  expect(after).toMatchObject({ key: before.key, firstKey: "process:41", process: pid(77), says: { value: "active" } });
  expect(await picture(ledger, alive(77))).toEqual(["A active alive"]);
});

test.each([
  ["is told as resumed afterwards", ["silent", "seen", "resumed", "seen"]],
  ["is told as resumed in between", ["silent", "resumed", "seen"]],
] as const)("a resumed conversation whose process is seen before it tells its id, and which %s, has its old row alone", async (_when, looks) => {
  const { ledger, folder } = await aLedger();
  const before = await ledger.note(living(41, "A"));
  await tell(ledger, before, { kind: "exited", conversation: undefined });
  const { conversation: _, title: __, ...silent } = livingRun(77, "A");
  for (const look of looks) {
    await ledger.read(alive(77), signal);
    if (look === "resumed") await tell(ledger, before, { kind: "resumed", run: livingRun(77, "A") });
    else await ledger.note(look === "silent" ? aSession(silent) : living(77, "A"));
  }
  expect(await records(ledger, alive(77))).toMatchObject([{ key: before.key, firstKey: "process:41", process: pid(77), says: { value: "active" } }]);
  expect(await records(openLedger(folder), alive(77))).toHaveLength(1);
});

test("a conversation that one process left may be taken up by another while the first goes on", async () => {
  const { ledger } = await aLedger();
  await ledger.note(living(41, "A"));
  await ledger.note(living(41, "B"));
  await ledger.read(alive(41, 77), signal);
  await ledger.note(living(77, "A"));
  expect((await records(ledger)).map(({ conversation, process }) => [conversation?.id, process?.pid])).toEqual([
    ["A", 77],
    ["B", 41],
  ]);
});

test("a conversation that is open in two processes has two rows, and neither takes the other's", async () => {
  const { ledger, lines } = await aLedger();
  const both = alive(41, 42);
  for (let times = 0; times < 3; times++) {
    await ledger.read(both, signal);
    for (const number of [41, 42]) await ledger.note(living(number, "A"));
  }
  expect((await records(ledger, both)).map(({ process }) => process?.pid)).toEqual([41, 42]);
  expect(await lines()).toHaveLength(2);
});

test("a reused pid is another row", async () => {
  const { ledger } = await aLedger();
  await ledger.note(living(41, "A"));
  await ledger.note(living(41, "B", { host: { kind: "process", process: pid(41, "8") } }));
  expect(await picture(ledger, censusOf(anEntry(pid(41, "8"))))).toEqual(["A active gone", "B active alive"]);
});

test("after a reboot everything that was seen alive is gone, and can be taken up again", async () => {
  const { ledger } = await aLedger();
  await ledger.note(living(41, "A", { host: { kind: "process", process: { ...pid(41), host: nobody.here.host } } }));
  const rebooted = { ...alive(41), here: { ...nobody.here, bootId: "boot-2" } };
  expect(await records(ledger, rebooted)).toMatchObject([
    { liveness: { value: "gone", seen: "process 41 is gone" }, says: { value: "active" }, conversation: { id: "A" } },
  ]);
});

test("of another host nothing is known, and the host is named", async () => {
  const { ledger } = await aLedger();
  await ledger.note(living(41, "A", { host: { kind: "process", process: { ...pid(41), host: "laptop", bootId: "its boot" } } }));
  expect((await records(ledger))[0]?.liveness).toMatchObject({ value: "unknown", seen: "process 41 on laptop can't be seen from here" });
});

test("what does not run as a process of its own is not noted", async () => {
  const { ledger } = await aLedger();
  await expect(ledger.note(aSession(aTurn()))).rejects.toThrow("process of its own");
});
