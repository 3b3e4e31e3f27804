import { expect, test } from "vitest";
import type { Command } from "../../../../src/core/agent.ts";
import type { Run } from "../../../../src/core/facet.ts";
import { resume } from "../../../../src/core/operations/resume.ts";
import { anAgent, aBook, aRun, pid, seen, talk, without } from "../../../support/facets.ts";
import { aWorld } from "../../../support/world.ts";
import type { World } from "../../../support/world.ts";

const agent = anAgent({ canResume: async ({ id }) => seen(id === "A", id === "A" ? "its transcript was found" : "its transcript is gone") });
const ended = aBook("mux", "ended", { cwd: "/app" });
const another = (number: number, over: Partial<Run> = {}) => aRun({ key: `process:${number}`, host: { kind: "process", process: pid(number) }, ...over });

/** A world whose clock goes on while somebody waits, and a face that starts what it is told. */
function aStart(
  facets: Parameters<typeof aWorld>[0],
  onStart: (world: World) => void,
): { world: World; run: () => ReturnType<typeof resume>; commands: Command[] } {
  const world = aWorld(facets);
  world.agents.set("claude", agent);
  const commands: Command[] = [];
  let at = world.context.now();
  const context = {
    ...world.context,
    now: () => at,
    pause: async (forMs: number) => void (at += forMs),
  };
  const start = async (command: Command): Promise<number | undefined> => {
    commands.push(command);
    onStart(world);
    return undefined;
  };
  return { world, commands, run: () => resume(world.session, start, context) };
}

test("the agent is started on its old conversation, in its folder, and done when the new process is seen", async () => {
  const { run, commands, world } = aStart([ended], ({ store }) => store.set("process:50", another(50)));
  expect((await run()).result).toEqual({ kind: "success", method: "notNeeded" });
  expect(commands).toEqual([{ argv: ["claude", "--resume", "A"], cwd: "/app" }]);
  expect(world.changes).toMatchObject([{ kind: "resumed", run: { key: "process:50" } }]);
});

test("a new process that can't tell its conversation is the one, if it is the only new one", async () => {
  const { run } = aStart([ended], ({ store }) => store.set("process:50", without(another(50), "conversation")));
  expect((await run()).result.kind).toBe("success");
});

test("a process that was there before is not the new one", async () => {
  const { run, world } = aStart([ended], () => undefined);
  world.store.set("process:50", without(another(50), "conversation"));
  expect((await run()).result).toEqual({ kind: "failed", reason: "no new process of it was seen" });
  expect(world.told).toEqual([]);
});

test("a new process on another conversation is somebody else's", async () => {
  const { run } = aStart([ended], ({ store }) => store.set("process:50", another(50, { conversation: talk("B") })));
  expect((await run()).result.kind).toBe("failed");
});

test("of two new processes that tell nothing, neither is taken for it", async () => {
  const { run } = aStart([ended], ({ store }) => {
    for (const number of [50, 51]) store.set(`process:${number}`, without(another(number), "conversation"));
  });
  expect((await run()).result.kind).toBe("failed");
});

test("what is open already is not opened twice", async () => {
  const { run, commands } = aStart([aRun(), aBook("mux", "active")], () => undefined);
  expect((await run()).result).toMatchObject({ kind: "refused", reason: "stillAlive" });
  expect(commands).toEqual([]);
});

test("where the agent would not find its conversation, it is not started", async () => {
  const { run, commands } = aStart([aBook("mux", "ended", { conversation: talk("B") })], () => undefined);
  expect((await run()).result).toEqual({ kind: "refused", reason: "unsupported", detail: "its transcript is gone" });
  expect(commands).toEqual([]);
});

test("without a conversation id there is nothing to resume", async () => {
  const { run } = aStart([without(ended, "conversation")], () => undefined);
  expect((await run()).result).toEqual({ kind: "refused", reason: "unsupported", detail: "its conversation id is not known" });
});

test("a record that names another process by the time of the lock is not told", async () => {
  const { run, world } = aStart([ended], ({ store }) => store.set("process:50", another(50)));
  world.hooks.underLock = (record) => ({ ...record, process: pid(77) });
  expect((await run()).result.kind).toBe("partial");
  expect(world.told).toEqual([]);
});

test("a record that a refresh has meanwhile given the new process is told all the same", async () => {
  const { run, world } = aStart([ended], ({ store }) => store.set("process:50", another(50)));
  world.hooks.underLock = (record) => ({ ...record, process: pid(50) });
  expect((await run()).result.kind).toBe("success");
});

test("a conversation that is open in another session is not opened twice", async () => {
  const { run, commands, world } = aStart([ended], () => undefined);
  world.store.set("process:50", another(50));
  expect((await run()).result).toMatchObject({ kind: "refused", reason: "stillAlive" });
  expect(commands).toEqual([]);
});
