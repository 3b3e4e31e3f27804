import { join } from "node:path";
import { expect, test } from "vitest";
import type { Agent } from "../../../../src/core/agent.ts";
import { merge } from "../../../../src/core/merge.ts";
import type { OperationContext } from "../../../../src/core/operations/operation.ts";
import { stop } from "../../../../src/core/operations/stop.ts";
import { terminate } from "../../../../src/core/operations/terminate.ts";
import type { Session } from "../../../../src/core/session.ts";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { createProcessSource } from "../../../../src/sources/process/processSource.ts";
import { openMachine } from "../../../../src/system/machine.ts";
import { findProcess } from "../../../real/support/processes.ts";
import { startChild, startDeaf } from "../../../support/children.ts";
import { aRepository, aState, claudeWho, ownerOf, readBack, recordsIn, soon, writeState } from "../../../support/entire.ts";
import type { StateOf } from "../../../support/entire.ts";
import { aRecord } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { aWorld } from "../../../support/world.ts";

interface Desk extends AsyncDisposable {
  readonly path: string;
  readonly context: OperationContext;
  readonly sessions: () => Promise<readonly Session[]>;
}

/** A repository with one state, and the processes of this machine, of which one agent is known. */
async function aDesk(agent: Agent, state: StateOf): Promise<Desk> {
  const folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const path = writeState(app, state);
  const machine = await openMachine({ tmuxProgram: "tmux", tmuxSockets: [] });
  const entire = createEntireSource({ repositories: [app], agents: [agent] });
  const processes = createProcessSource([agent], machine, []);
  const { context, sources } = aWorld([aRecord("entire")]);
  sources.set("entire", entire).set("process", processes);
  return {
    path,
    context: { ...context, agents: new Map([[agent.id, agent]]), takeCensus: (signal) => machine.census(signal), now: Date.now, signal: soon() },
    sessions: async () => {
      const census = await machine.census(soon());
      const { facets } = await processes.read(census, soon());
      return merge([...facets, ...(await recordsIn(entire, census))], Date.now());
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const asked = { reason: "manual_stop", reach: "session" } as const;

test.each(["polite", "deaf"] as const)(
  "a session whose agent Entire names and is %s is one with it, and is stopped by the process's rungs; then the book is told",
  async (how) => {
    const child = how === "deaf" ? await startDeaf() : await startChild(["sleep", "600"]);
    const agent = {
      ...claudeWho(({ identity }) => identity.pid === child.pid),
      ask: { escapeWhenBusy: false, signal: "SIGTERM", graceMs: how === "deaf" ? 200 : 5_000 },
    } as const;
    await using desk = await aDesk(agent, aState("a", { owner: ownerOf(child.identity), files_touched: ["a.ts"] }));
    const [session, ...others] = await desk.sessions();
    if (!session) expect.fail();
    expect([session.run?.host.kind, session.records.length, session.conversation?.id, others]).toEqual(["process", 1, "a", []]);

    const began = Date.now();
    const receipt = await (how === "deaf" ? terminate : stop)(session, asked, desk.context);
    expect(receipt.result).toEqual({ kind: "success", method: how === "deaf" ? "forced" : "graceful" });
    expect(await child.ended).toBe(how === "deaf" ? "SIGKILL" : "SIGTERM");
    expect(receipt.records.filter(({ record }) => record.startsWith("entire:")).map(({ change, outcome }) => `${change} ${outcome.kind}`)).toContain(
      "stopped recorded",
    );
    const state = readBack(desk.path);
    expect(state).toMatchObject({ phase: "ended", files_touched: ["a.ts"] });
    expect(state).not.toHaveProperty("fully_condensed");
    expect(Date.parse(String(state["ended_at"]))).toBeGreaterThanOrEqual(began);
  },
);

test.each([
  ["an editor", claudeWho(() => false)],
  ["a daemon", "daemon"],
] as const)("an owner that is %s is never signalled: the session can't be stopped, and says who lives", async (_, what) => {
  const child = await startDeaf();
  const agent = what === "daemon" ? claudeWho(({ identity }) => identity.pid === child.pid, "daemon") : what;
  await using desk = await aDesk(agent, aState("a", { owner: ownerOf(child.identity, { name: "code" }) }));
  const [session] = await desk.sessions();
  if (!session) expect.fail();
  expect([session.run, session.status.value]).toEqual([undefined, "open"]);
  for (const operation of [stop, terminate]) {
    const { result } = await operation(session, asked, desk.context);
    expect(result).toMatchObject({ kind: "refused", reason: "stillAlive", detail: `its owner code (${child.pid}) lives` });
  }
  expect([child.said(), findProcess(child.pid) !== undefined, readBack(desk.path)["phase"]]).toEqual(["ready\n", true, "active"]);
});

test("of two sessions of one process neither can be stopped by Entire's word", async () => {
  const child = await startDeaf();
  const agent = claudeWho(({ identity }) => identity.pid === child.pid);
  const owner = ownerOf(child.identity);
  await using desk = await aDesk(agent, aState("a", { owner }));
  writeState(join(desk.path, "../../.."), aState("b", { owner }));
  const sessions = await desk.sessions();
  const books = sessions.filter(({ records }) => records.length > 0);
  expect(books.map(({ run, records }) => [run, records[0]?.liveness.value])).toEqual([
    [undefined, "alive"],
    [undefined, "alive"],
  ]);
  for (const session of books) expect((await terminate(session, asked, desk.context)).result.kind).toBe("refused");
  // Its process is a row of its own, without a warrant of theirs.
  const run = sessions.find((session) => session.run);
  if (!run) expect.fail();
  expect((await terminate(run, asked, desk.context)).result).toMatchObject({ kind: "refused", reason: "mustBeNamed" });
  expect(child.said()).toBe("ready\n");
});
