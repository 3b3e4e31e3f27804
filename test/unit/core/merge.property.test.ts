import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Conversation, Facet, Liveness, Recorded, Run, SessionRecord, SourceId } from "../../../src/core/facet.ts";
import { merge } from "../../../src/core/merge.ts";
import type { ProcessIdentity } from "../../../src/core/process.ts";
import { facetsOf } from "../../../src/core/session.ts";
import { aRecord, aRun, aTurn, now, pid, seen, talk, without } from "../../support/facets.ts";

// Few processes and few conversations, so that much of what is made is entangled.
const identity = fc.constantFrom<ProcessIdentity | undefined>(undefined, pid(1), pid(1, "9"), pid(2), pid(3));
const conversation = fc.constantFrom<Conversation | undefined>(undefined, talk("A"), talk("B"), talk("B", { agent: "codex" }));

const runs = fc
  .uniqueArray(fc.record({ number: fc.integer({ min: 1, max: 4 }), conversation, liveness: fc.constantFrom<Liveness>("alive", "unknown") }), {
    maxLength: 4,
    selector: ({ number }) => number,
  })
  .map((all) =>
    all.map(({ number, conversation, liveness }): Run => {
      const run = aRun({ key: `process:${number}`, host: { kind: "process", process: pid(number) }, liveness: seen(liveness) });
      return conversation ? { ...run, conversation } : without(run, "conversation");
    }),
  );
const turns = fc.constantFrom<readonly Run[]>([], [aTurn()], [aTurn({ host: { kind: "server", server: pid(2), url: "u", directory: "/" } })]);
const records = fc
  .array(
    fc.record({
      source: fc.constantFrom<SourceId>("ledger", "mux", "entire"),
      identity,
      conversation,
      says: fc.constantFrom<Recorded>("active", "ended", "archived"),
      liveness: fc.constantFrom<Liveness>("alive", "gone", "unseen", "unknown"),
    }),
    { maxLength: 7 },
  )
  .map((all) =>
    all.map(({ source, identity, conversation, says, liveness }, index): SessionRecord => {
      const bare = without(aRecord(source, { key: `${source}:${index}`, says: seen(says), liveness: seen(liveness) }), "process", "conversation");
      return { ...bare, ...(identity && { process: identity }), ...(conversation && { conversation }) };
    }),
  );
const facets: fc.Arbitrary<readonly Facet[]> = fc.tuple(runs, turns, records).map((parts) => parts.flat());

/** Which facets stand together, and which of them in doubt: whatever the order in which they are told. */
function partition(all: readonly Facet[]): readonly string[] {
  return merge(all, now)
    .map((session) => {
      const keys = facetsOf(session).map(({ key }) => key);
      return [...keys.sort(), session.status.value, ...(session.doubt ? ["in doubt"] : [])].join(" ");
    })
    .sort();
}

test("every record stands in exactly one session, and so does every run that is no listed sessions' server", () => {
  fc.assert(
    fc.property(facets, (all) => {
      const standing = merge(all, now).flatMap(facetsOf);
      expect(new Set(standing).size).toBe(standing.length);
      const missing = all.filter((facet) => !standing.includes(facet));
      expect(missing.every((facet) => facet.kind === "run" && facet.key === "process:2" && all.some(({ source }) => source === "opencode"))).toBe(true);
    }),
  );
});

test("a session has at most one record of each source", () => {
  fc.assert(
    fc.property(facets, (all) => {
      for (const { records } of merge(all, now)) expect(new Set(records.map(({ source }) => source)).size).toBe(records.length);
    }),
  );
});

test("a session tells of one living process at most", () => {
  fc.assert(
    fc.property(facets, (all) => {
      for (const { run, records } of merge(all, now)) {
        const living = records.filter(({ liveness }) => liveness.value === "alive").flatMap(({ process }) => process ?? []);
        if (run?.host.kind === "process" && run.liveness.value === "alive") living.push(run.host.process);
        expect(new Set(living.map(({ pid, start }) => JSON.stringify([pid, start]))).size).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test("the order in which facets are told changes nothing", () => {
  const shuffled = facets.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })));
  fc.assert(
    fc.property(shuffled, ([all, other]) => {
      expect(partition(other)).toEqual(partition(all));
    }),
  );
});
