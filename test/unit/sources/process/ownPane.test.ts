import { expect, test } from "vitest";
import type { ProcessEntry } from "../../../../src/core/census.ts";
import { isMadeFor } from "../../../../src/sources/process/ownPane.ts";
import { aPane } from "../../../support/facets.ts";

const pane = aPane({ pid: 10 });

function entry(pid: number, parentPid: number, file: string, argv: readonly string[], groupId = 10, state: ProcessEntry["state"] = "running"): ProcessEntry {
  const program = { file, packageName: undefined, args: argv.slice(1), isScript: false };
  return {
    identity: { pid, start: { kind: "ticks", ticks: String(pid) } },
    parentPid,
    groupId,
    sessionId: 10,
    state,
    argv,
    program,
    uid: 0,
    tty: "1",
    isForeground: true,
    startedAt: undefined,
  };
}

const agent = (parentPid: number, groupId = 10): ProcessEntry => entry(20, parentPid, "/opt/claude", ["claude"], groupId);
const all = (...entries: readonly ProcessEntry[]) => ({ processes: new Map(entries.map((each) => [each.identity.pid, each])) });
const first = entry(10, 1, "/opt/claude", ["claude"]);

test("a pane whose program is the agent is its own", () => {
  expect(isMadeFor(pane, [first], all(first))).toBe(true);
});

test("so is one whose shell only runs it", () => {
  const shell = entry(10, 1, "/bin/sh", ["sh", "-c", "claude; true"]);
  expect(isMadeFor(pane, [agent(10)], all(shell, agent(10)))).toBe(true);
});

test("a pane that was made without a command is a person's", () => {
  expect(isMadeFor({ ...pane, hasStartCommand: false }, [first], all(first))).toBe(false);
});

test.each([[["zsh"]], [["-zsh"]], [["bash", "-i"]]])("a shell that was started as %j is a person's", (argv) => {
  const shell = entry(10, 1, `/bin/${(argv[0] ?? "").replace("-", "")}`, argv);
  expect(isMadeFor(pane, [agent(10)], all(shell, agent(10)))).toBe(false);
});

test.each([[["bash", "--rcfile", "/tmp/rc"]], [["zsh", "-o", "vi"]], [["fish", "-C", "x"]]])(
  "a shell that gives the agent a job of its own is a person's: %j",
  (argv) => {
    const shell = entry(10, 1, `/bin/${argv[0]}`, argv);
    expect(isMadeFor(pane, [agent(10, 20)], all(shell, agent(10, 20)))).toBe(false);
  },
);

test("a pane whose command went on to something else when the agent had ended is not its own any more", () => {
  const goesOn = entry(10, 1, "/bin/sleep", ["sleep", "987"]);
  const deafChild = entry(30, 1, "/bin/sleep", ["sleep", "600"], 30);
  expect(isMadeFor(pane, [agent(10), deafChild], all(goesOn, deafChild))).toBe(false);
});

test("a neighbour in the same pane keeps it open", () => {
  const shell = entry(10, 1, "/bin/sh", ["sh", "-c", "server & claude"]);
  const server = entry(40, 10, "/opt/server", ["server"]);
  expect(isMadeFor(pane, [agent(10)], all(shell, agent(10), server))).toBe(false);
});

test("a reused pid in the pane is not the agent", () => {
  const other = { ...first, identity: { pid: 10, start: { kind: "ticks", ticks: "999" } } } as const;
  expect(isMadeFor(pane, [first], all(other))).toBe(false);
});
