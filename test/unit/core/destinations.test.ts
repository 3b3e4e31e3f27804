import { expect, test } from "vitest";
import { destinationsOf } from "../../../src/core/destinations.ts";
import type { OtherWindow, TmuxClient } from "../../../src/core/destinations.ts";
import { aBook, aPane, aRun, aSession, aTurn, anEntry, censusOf, pid, without } from "../../support/facets.ts";

// The editor's shell 20 runs the agent 41; the editor's other shell 30 runs a tmux client 31.
const census = censusOf(
  anEntry(pid(10)),
  anEntry(pid(20), { parentPid: 10 }),
  anEntry(pid(41), { parentPid: 20 }),
  anEntry(pid(30), { parentPid: 10 }),
  anEntry(pid(31), { parentPid: 30 }),
);
const pane = aPane({ isAttached: true });
const client = (sessionName: string): TmuxClient => ({ tty: "/dev/pts/3", pid: 31, sessionName });
const inPane = aSession(aRun({ host: { kind: "process", process: pid(41), pane } }));

function kinds(session = inPane, clients: readonly TmuxClient[] = [], windows: readonly OtherWindow[] = []): readonly string[] {
  return destinationsOf(session, census, clients, windows).map(({ kind }) => kind);
}

test("an agent in a terminal of the editor: that terminal, by all who stand above it", () => {
  expect(destinationsOf(aSession(aRun()), census, [], [])).toEqual([{ kind: "terminal", ancestors: [pid(41), pid(20), pid(10)] }, { kind: "peek" }]);
});

test("an agent in tmux: first the terminal that shows its tmux session, then one that attaches", () => {
  expect(kinds(inPane, [client("work")])).toEqual(["attachedTmux", "detachedTmux", "peek"]);
});

test("the terminal of a tmux client is found by who stands above the client", () => {
  expect(destinationsOf(inPane, census, [client("work")], [])[0]).toMatchObject({ kind: "attachedTmux", ancestors: [pid(31), pid(30), pid(10)] });
});

test("a client that shows another tmux session leads nowhere", () => {
  expect(kinds(inPane, [client("work2")])).toEqual(["detachedTmux", "peek"]);
});

test("another window of the editor whose terminal it is in is named", () => {
  const windows = [
    { name: "api", terminals: [99] },
    { name: "app", terminals: [20] },
  ];
  expect(destinationsOf(aSession(aRun()), census, [], windows)).toContainEqual({ kind: "otherWindow", name: "app" });
});

const with9 = (ticks?: string) =>
  censusOf(anEntry(pid(10)), anEntry(pid(20), { parentPid: 10, tty: "/dev/pts/3" }), anEntry(pid(9, ticks), { parentPid: 20, tty: "/dev/pts/3" }));

test("a session of a server: a window of the same program on it, without a password in its words", () => {
  expect(destinationsOf(aSession(aTurn({ runsIn: "appServer" })), with9(), [], [])).toEqual([
    {
      kind: "server",
      command: { argv: ["opencode", "attach", "http://127.0.0.1:4096", "--session", "s", "--dir", "/app"] },
      origin: "http://127.0.0.1:4096",
      isRecognised: true,
    },
    { kind: "peek" },
  ]);
});

test("a server that is not known to be ours is not called so, and one that has left has no window: by now another may listen there", () => {
  const host = { kind: "server", server: undefined, url: "http://127.0.0.1:4096", directory: "/app" } as const;
  expect(destinationsOf(aSession(aTurn({ host })), census, [], [])[0]).toMatchObject({ kind: "server", isRecognised: false });
  expect(destinationsOf(aSession(aTurn()), census, [], [])).toEqual([{ kind: "peek" }]);
  expect(destinationsOf(aSession(aTurn()), with9("8"), [], [])).toEqual([{ kind: "peek" }]);
});

test("a server that is an agent in a terminal at the same time: that terminal, or its pane, before any other window on it", () => {
  const own = aSession(aTurn({ runsIn: "terminal" }));
  expect(destinationsOf(own, with9(), [], [])[0]).toEqual({ kind: "terminal", ancestors: [pid(9), pid(20), pid(10)] });
  expect(destinationsOf(own, with9(), [], []).map(({ kind }) => kind)).toEqual(["terminal", "server", "peek"]);
  const inTmux = { ...with9(), panes: [aPane({ pid: 20 })] };
  expect(destinationsOf(own, inTmux, [], []).map(({ kind }) => kind)).toEqual(["detachedTmux", "server", "peek"]);
  const inOther = { ...with9(), panes: [aPane({ pid: 10 })] };
  expect(destinationsOf(own, inOther, [], []).map(({ kind }) => kind)).toEqual(["terminal", "server", "peek"]);
});

test("a server's session whose id is not known, and one that has ended, can only be peeked at", () => {
  expect(kinds(aSession(without(aTurn(), "conversation")))).toEqual(["peek"]);
  expect(kinds(aSession(aBook("mux", "ended")))).toEqual(["peek"]);
});

test("where the process table could not be read there is still the pane", () => {
  expect(destinationsOf(inPane, { ...census, processes: undefined }, [client("work")], []).map(({ kind }) => kind)).toContain("detachedTmux");
});
