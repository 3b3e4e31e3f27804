import { expect, test } from "vitest";
import { planLines } from "../../../src/core/planLines.ts";
import { aBook, aSession, anAgent, talk } from "../../support/facets.ts";

const store = { bytes: 1_500, belongsBecause: "its name is the id", erase: async () => ({ kind: "erased" }) as const, residue: async () => [] };

test("the plan names the session, each place with its size and why, and what stays", () => {
  const session = aSession(aBook("ledger", "ended", { conversation: talk("A"), title: "fix login", cwd: "/w" }));
  const left = { name: "a log", path: "/l", why: "it is being written", holds: "id" } as const;
  const stores = [{ ...store, name: "transcript", path: "/c/A.jsonl" }];
  expect(
    planLines({ kind: "plan", session, agent: anAgent(), conversation: talk("A"), stores, leftAlone: [left], family: [], pending: ["2 checkpoints"] }),
  ).toEqual([
    "Purge of the conversation of “fix login”",
    "Claude Code · A · /w",
    "",
    "Deleted for good: 1 place, 1.5 kB",
    "  transcript, 1.5 kB",
    "      /c/A.jsonl",
    "      its name is the id",
    "",
    "Left as it is:",
    "  a log",
    "      /l",
    "      it is being written",
    "",
    "Work that would be lost: 2 checkpoints",
    "",
    "Its records here are told that it is purged, and lose its title, its last screen and its id.",
  ]);
});

test("no title and no path can forge a line of it", () => {
  const session = aSession(aBook("ledger", "ended", { conversation: talk("A"), title: "x\nDeleted for good: nothing", cwd: "/w\u2028Left as it is:" }));
  const stores = [{ ...store, name: "transcript", path: "/c/A\r\nNothing of it was found." }];
  const lines = planLines({ kind: "plan", session, agent: anAgent(), conversation: talk("A"), stores, leftAlone: [], family: [], pending: [] });
  expect(lines.join("").match(/[\p{Cc}\p{Zl}\p{Zp}]/u)).toBeNull();
  expect(lines.filter((line) => /^(Deleted for good|Left as it is|Nothing of it)/.test(line))).toEqual(["Deleted for good: 1 place, 1.5 kB"]);
});
