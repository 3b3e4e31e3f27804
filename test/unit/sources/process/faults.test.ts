import { expect, test } from "vitest";
import type { Agent } from "../../../../src/core/agent.ts";
import type { Census } from "../../../../src/core/census.ts";
import type { Run } from "../../../../src/core/facet.ts";
import { createProcessSource } from "../../../../src/sources/process/processSource.ts";
import { openLinuxProcesses } from "../../../../src/system/linuxProcesses.ts";
import { machineOf } from "../../../../src/system/machine.ts";
import type { Machine } from "../../../../src/system/machine.ts";
import { anEntry, aPane, censusOf, pid, talk } from "../../../support/facets.ts";

const { signal } = new AbortController();
const fails = (): Promise<never> => Promise.reject(new Error("EIO: i/o error, read"));
const real = machineOf(await openLinuxProcesses(), { tmuxProgram: "tmux", tmuxSockets: [] });
const machine: Machine = { ...real, environmentOf: async () => new Map([["HOME", "/home/ada"]]), cwdOf: async () => "/app" };

/** An agent whose program lies in a file of its name, and which tells one conversation. */
function anAgent(id: Agent["id"], over: Partial<Agent> = {}): Agent {
  return {
    id,
    program: id,
    name: id,
    idPattern: /^./,
    ask: { escapeWhenBusy: false, signal: "SIGTERM", graceMs: 1_000 },
    recognise: ({ program }) => (program?.file === `/bin/${id}` ? { role: "agent", runsIn: "terminal" } : undefined),
    configHomeOf: (environment) => environment.get("HOME"),
    tellOf: async () => ({ conversation: talk(`${id}'s`, { agent: id }), title: `${id}'s work` }),
    canResume: async () => ({ value: true, seen: "its transcript was found", at: 0 }),
    resumeCommand: () => ({ argv: [id] }),
    storesByHand: [],
    ...over,
  };
}
const uid = process.getuid?.() ?? 0;
const aProcess = (number: number, id: string, isForeground = true) =>
  anEntry(pid(number), { uid, tty: "1", isForeground, program: { file: `/bin/${id}`, packageName: undefined, args: [], isScript: false } });
const census: Census = censusOf(aProcess(41, "codex"), aProcess(42, "cline"));

async function read(codex: Partial<Agent>, seen: Census = census, on: Machine = machine) {
  const reading = await createProcessSource([anAgent("codex", codex), anAgent("cline")], on, []).read(seen, signal);
  const [ofCodex, ofCline, ...others] = reading.facets as readonly Run[];
  expect(others).toEqual([]);
  return { ofCodex, ofCline, unreachable: reading.unreachable };
}

test.each<[string, Partial<Agent>, string, string]>([
  ["what it tells", { tellOf: fails }, "codex (41)", "what it tells of itself can't be read (EIO: i/o error, read)"],
  ["its list of living sessions", { readLive: fails }, "codex", "its list of living sessions can't be read (EIO: i/o error, read)"],
  ["its transcript", { canResume: fails }, "codex (41)", "its transcript can't be looked for (EIO: i/o error, read)"],
])("where %s can't be read its process is shown, the others whole, and the fault is told", async (_what, broken, place, reason) => {
  const { ofCodex, ofCline, unreachable } = await read(broken);
  expect(ofCodex).toMatchObject({ liveness: { value: "alive" }, cwd: "/app", host: { process: pid(41) } });
  expect(ofCline).toMatchObject({ title: "cline's work", conversation: { id: "cline's", resumable: { value: true } } });
  expect(unreachable).toEqual([{ place, reason }]);
});

test("a transcript that can't be looked for takes nothing from what else is known", async () => {
  const { ofCodex } = await read({ canResume: fails });
  expect(ofCodex).toMatchObject({ title: "codex's work", conversation: talk("codex's", { agent: "codex" }) });
  expect(ofCodex?.conversation?.resumable).toBeUndefined();
});

test("a process whose environment and folder can't be read is shown", async () => {
  const { ofCodex, ofCline, unreachable } = await read({}, census, { ...machine, environmentOf: fails, cwdOf: fails });
  expect([ofCodex?.title, ofCline?.title, ofCodex?.cwd]).toEqual(["codex's work", "cline's work", undefined]);
  expect(new Set(unreachable.map(({ place }) => place))).toEqual(new Set(["codex (41)", "cline (42)"]));
});

test("what a fault hides is not gone", async () => {
  const gone = censusOf(aProcess(42, "cline"));
  const source = createProcessSource([anAgent("codex", { readLive: fails }), anAgent("cline")], machine, []);
  const [facet] = (await source.read(census, signal)).facets;
  if (!facet) throw new Error("nothing was read");
  expect(await source.lookAgain(facet, gone, signal)).toEqual({
    kind: "unreachable",
    reason: "its list of living sessions can't be read (EIO: i/o error, read)",
  });
  const other = createProcessSource([anAgent("codex"), anAgent("cline", { readLive: fails })], machine, []);
  expect(await other.lookAgain(facet, gone, signal)).toEqual({ kind: "notThere" });
});

test("a look that is cancelled is no fault of an agent's", async () => {
  const abort = new AbortController();
  const hangs = (): Promise<never> => {
    abort.abort(new Error("not wanted any more"));
    return new Promise(() => undefined);
  };
  const source = createProcessSource([anAgent("codex", { tellOf: hangs })], machine, []);
  await expect(source.read(census, abort.signal)).rejects.toThrow("not wanted any more");
});

const pane = aPane({ title: "fix login - codex" });
const byTitle: Partial<Agent> = { tellOf: async () => ({}), nameInTitle: (title) => /^(.+) - codex$/.exec(title)?.[1] };

test.each([
  ["in the foreground names its session", true, "alive", "fix login"],
  ["in the background may show another's title", false, "alive", undefined],
  ["in a pane that is dead has left its title", true, "dead", undefined],
] as const)("an agent %s", async (_what, isForeground, state, title) => {
  const seen = { ...censusOf(aProcess(41, "codex", isForeground), aProcess(42, "cline")), panes: [{ ...pane, state }] };
  expect((await read(byTitle, seen)).ofCodex?.title).toBe(title);
});

test("a title is cut to what can be read, and never in the middle of a letter", async () => {
  const { ofCodex } = await read({ tellOf: async () => ({ title: `${"x".repeat(198)}😀${"y".repeat(300)}` }) });
  expect(ofCodex?.title).toBe(`${"x".repeat(198)}\uFFFD…`);
  expect(ofCodex?.title).toHaveLength(200);
});
