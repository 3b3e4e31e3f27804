import { expect, test } from "vitest";
import { opencode } from "../../../../src/agents/opencode/opencode.ts";
import type { ProcessEntry } from "../../../../src/core/census.ts";
import { openProcessFinder } from "../../../../src/sources/opencode/processes.ts";
import { openMachine } from "../../../../src/system/machine.ts";
import type { Machine } from "../../../../src/system/machine.ts";
import { anEntry, censusOf, now, pid } from "../../../support/facets.ts";

const { signal } = new AbortController();
const real = await openMachine({ tmuxProgram: "tmux", tmuxSockets: [] });
const uid = process.getuid?.() ?? 0;

function entry(number: number, args: readonly string[], over: Partial<ProcessEntry> = {}): ProcessEntry {
  const file = "/home/ada/.opencode/bin/opencode";
  return anEntry(pid(number), {
    uid,
    argv: [file, ...args],
    program: { file, packageName: undefined, args, isScript: false },
    startedAt: now - 60_000,
    ...over,
  });
}

interface Seen {
  readonly ports?: (pid: number) => readonly { host: string; port: number }[];
  readonly environment?: Readonly<Record<string, string>>;
}

function finderOf({ ports = () => [], environment = {} }: Seen = {}) {
  const asked: number[] = [];
  const machine: Machine = {
    ...real,
    portsOf: async (process) => (asked.push(process.pid), ports(process.pid)),
    cwdOf: async () => "/app",
    environmentOf: async () => new Map(Object.entries({ HOME: "/home/ada", ...environment })),
  };
  const find = openProcessFinder(opencode, machine);
  return { asked, find: (entries: readonly ProcessEntry[], at = now) => find({ ...censusOf(...entries), at }, signal) };
}

test("servers and windows of this user are found, each with where it listens, its folder and its database", async () => {
  const { find } = finderOf({ ports: (of) => (of === 41 ? [{ host: "127.0.0.1", port: 4096 }] : []) });
  const found = await find([entry(41, ["serve"]), entry(42, [])]);
  expect(found.map(({ entry: { identity }, role, ports, cwd, database }) => [identity.pid, role, ports.length, cwd, database])).toEqual([
    [41, "server", 1, "/app", "/home/ada/.local/share/opencode/opencode.db"],
    [42, "agent", 0, "/app", "/home/ada/.local/share/opencode/opencode.db"],
  ]);
});

test.each<[string, ProcessEntry]>([
  ["another user's", entry(41, ["serve"], { uid: uid + 1 })],
  ["a command that ends by itself", entry(41, ["session", "list"])],
  ["a window on a server", entry(41, ["attach", "http://127.0.0.1:4096"])],
  ["another program that has the word in its arguments", anEntry(pid(41), { uid, argv: ["vim", "opencode", "serve"] })],
])("%s is none, and is not looked into", async (_what, process) => {
  const { find, asked } = finderOf();
  expect([await find([process]), asked]).toEqual([[], []]);
});

test("each is looked into once as long as it lives, and a new process of that pid anew", async () => {
  const { find, asked } = finderOf({ ports: () => [{ host: "127.0.0.1", port: 4096 }] });
  for (let nth = 0; nth < 3; nth++) await find([entry(41, ["serve"])]);
  expect(asked).toEqual([41]);
  await find([{ ...entry(41, ["serve"]), identity: pid(41, "8") }]);
  expect(asked).toEqual([41, 41]);
});

test("what is young may not listen yet, and is looked into again; what is old and does not will not", async () => {
  let ports: readonly { host: string; port: number }[] = [];
  const { find, asked } = finderOf({ ports: () => ports });
  const young = entry(41, ["serve"], { startedAt: now - 1_000 });
  await find([young]);
  ports = [{ host: "127.0.0.1", port: 4096 }];
  expect((await find([young])).map((each) => each.ports.length)).toEqual([1]);
  const old = entry(42, [], { startedAt: now - 60_000 });
  ports = [];
  await find([old]);
  await find([old]);
  expect(asked.filter((of) => of === 42)).toHaveLength(1);
});

test.each([
  [{ XDG_DATA_HOME: "/data" }, "/data/opencode/opencode.db"],
  [{ OPENCODE_DB: "/srv/own.db" }, "/srv/own.db"],
  [{ OPENCODE_DB: "own.db" }, "/home/ada/.local/share/opencode/own.db"],
  [{ OPENCODE_DB: ":memory:" }, "the memory of 41"],
  [{ HOME: "" }, undefined],
])("its database, by its own environment: %o", async (environment: Readonly<Record<string, string>>, database) => {
  const { find } = finderOf({ environment });
  expect((await find([entry(41, ["serve"])])).map((each) => each.database)).toEqual([database]);
});
