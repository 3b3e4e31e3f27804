import { expect, test } from "vitest";
import { blastRadius } from "../../../src/cli/blastRadius.ts";
import type { Run } from "../../../src/core/facet.ts";
import { merge } from "../../../src/core/merge.ts";
import type { Session } from "../../../src/core/session.ts";
import { aRun, aTurn, now, pid, seen, talk } from "../../support/facets.ts";

const url = "http://127.0.0.1:4096";

function turn(id: string, directory: string, over: Partial<Run> = {}): Run {
  const host: Run["host"] = { kind: "server", server: pid(9), url, directory };
  return aTurn({ key: `opencode:${id}`, title: id, conversation: talk(id, { agent: "opencode" }), host, ...over });
}

const all = merge(
  [
    turn("it", "/app"),
    turn("beside", "/app"),
    turn("resting", "/app", { activity: seen("idle") }),
    turn("asking", "/other", { activity: seen("needsInput") }),
    turn("elsewhere", "/app", { host: { kind: "server", server: pid(8), url: "http://127.0.0.1:4097", directory: "/app" } }),
    aRun(),
  ],
  now,
);
const named = (title: string): Session => {
  const found = all.find((session) => session.title === title);
  if (!found) throw new Error(title);
  return found;
};

test("who is asked to end by itself reaches nobody else, and needs no word", () => {
  expect(blastRadius(named("it"), "session", all)).toBeUndefined();
  for (const reach of ["directory", "server"] as const) expect(blastRadius(named("fix login"), reach, all)).toBeUndefined();
});

test("a folder's reach names those at work in it on that server, and nobody else", () => {
  expect(blastRadius(named("it"), "directory", all)).toBe(`If it does not end when asked, every turn in /app on ${url} may be ended: “beside” too.`);
});

test("a server's reach names those at work on it in any folder, and that the server itself is meant", () => {
  expect(blastRadius(named("it"), "server", all)).toBe(
    `If it does not end when asked, every turn on ${url}, and that server itself, may be ended: “beside”, “asking” too.`,
  );
});

test("where nobody else is known to be at work, there may be one that is not known", () => {
  expect(blastRadius(named("asking"), "directory", all)).toBe(
    `If it does not end when asked, every turn in /other on ${url} may be ended, also one that is not known here.`,
  );
});
