import { expect, test } from "vitest";
import { listingOf } from "../../../src/cli/listing.ts";
import { merge } from "../../../src/core/merge.ts";
import type { Facet } from "../../../src/core/facet.ts";
import { aBook, aTurn, now, seen, talk, without } from "../../support/facets.ts";

function turn(id: string, over: Parameters<typeof aTurn>[0] = {}): Facet {
  return aTurn({ key: `opencode:${id}`, title: id, conversation: talk(id, { agent: "opencode" }), ...over });
}

function linesOf(...facets: readonly Facet[]): readonly string[] {
  const text = listingOf({ at: now, sessions: merge(facets, now), unreachable: [], notices: [] });
  return text.split("\n").map((line) => /^ *[\w ]+?(?= {2}|$)/.exec(line)?.[0] ?? line);
}

test("a sub-agent stands below its root, in the root's group, and only roots are counted", () => {
  const facets = [
    turn("grandchild", { parent: "opencode:child", startedAt: 4 }),
    turn("child", { parent: "opencode:root", startedAt: 3 }),
    turn("root", { activity: seen("needsInput", "its sub-agent child asks"), startedAt: 1 }),
    turn("other", { startedAt: 2 }),
  ];
  expect(linesOf(...facets)).toEqual(["Needs you", "  root", "    child", "    grandchild", "Working", "  other"]);
  expect(listingOf({ at: now, sessions: merge(facets, now), unreachable: [], notices: [] })).toMatch(/^Needs you {2}1$/m);
});

test("a sub-agent whose root is not listed stands by itself", () => {
  expect(linesOf(turn("child", { parent: "opencode:root" }))).toEqual(["Working", "  child"]);
});

test("what a root has begun is shown below it when it is of the past too", () => {
  const past = (id: string, parent?: "opencode:root") =>
    without(
      aBook("opencode", "ended", { key: `opencode:${id}`, title: id, conversation: talk(id, { agent: "opencode" }), ...(parent && { parent }) }),
      "process",
    );
  expect(linesOf(past("child", "opencode:root"), past("root"))).toEqual(["Stopped", "  root", "    child"]);
});
