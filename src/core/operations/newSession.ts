import type { Agent } from "../agent.ts";
import type { Census } from "../census.ts";
import type { Run } from "../facet.ts";
import { isSameProcess } from "../process.ts";
import type { Receipt, Result } from "../receipt.ts";
import type { Session } from "../session.ts";
import { appeared, runsOf } from "./appeared.ts";
import { addStep, withOperation } from "./operation.ts";
import type { OperationContext } from "./operation.ts";
import type { Start } from "./resume.ts";
import { enter } from "./track.ts";

export interface Wanted {
  readonly agent: Agent;
  readonly folder: string;
  /** Of its tmux session and its row; see `sessionName`. */
  readonly name: string;
}

/** What tmux takes as it is, and every program that reads the registry too. */
export const sessionName = /^[A-Za-z0-9_-]+$/;

/** Starts an agent, waits until it is seen, reads its conversation id back from it, and enters it where there is a registry. */
export function newSession(wanted: Wanted, start: Start, context: OperationContext): Promise<Receipt> {
  return withOperation("start", sessionToBe(wanted, context.now()), context, async (draft): Promise<Result> => {
    const { agent, folder, name } = wanted;
    if (!sessionName.test(name)) return { kind: "refused", reason: "unsupported", detail: "a name is made of letters, digits, _ and -" };
    const { runs: before, census } = await runsOf(agent, context);
    if (await isTaken(name, census, context)) return { kind: "refused", reason: "unsupported", detail: "a session of that name is there already" };
    const started = await start({ argv: [agent.program], cwd: folder });
    if (typeof started === "object") return started;
    const run = await appeared({ agent, conversation: undefined, before, started }, context);
    const seen = run?.liveness.seen ?? "no new process of it was seen";
    addStep({ step: "look", did: `started ${agent.program}`, verified: { value: run !== undefined, seen, at: context.now() } }, draft, context);
    if (!run) return { kind: "failed", reason: `no ${agent.name} was seen there; what was started may still run in the tmux session ${name}` };

    const told = await withId(run, agent, context);
    draft.captured = told.conversation;
    if (!told.conversation) draft.warnings.push(`${agent.name} has not told its conversation id yet; it is saved when the session is stopped.`);
    await enter(told, name, draft, context);
    return { kind: "success", method: "notNeeded" };
  });
}

/** In tmux or in the registry, of whatever status: to both a name is one session's. */
async function isTaken(name: string, census: Census, { sources, signal }: OperationContext): Promise<boolean> {
  const rows = (await sources.get("mux")?.read(census, signal))?.facets ?? [];
  return (
    census.panes.some(({ sessionName }) => sessionName === name) || rows.some((row) => row.kind === "record" && row.name?.replaceAll(/[.:]/g, "_") === name)
  );
}

/** An agent that asks something first, or gives an id only to the first prompt, does not tell it now. */
async function withId(run: Run, agent: Agent, context: OperationContext): Promise<Run> {
  const deadline = context.now() + tellsWithinMs;
  let latest = run;
  while (!latest.conversation && context.now() < deadline) {
    await context.pause(200, context.signal);
    const { runs } = await runsOf(agent, context);
    latest = runs.find(({ host }) => host.kind === "process" && run.host.kind === "process" && isSameProcess(host.process, run.host.process)) ?? latest;
  }
  return latest;
}
const tellsWithinMs = 3_000;

/** What is not there yet, under the key that its row will have. */
export function sessionToBe({ agent, folder, name }: Wanted, now: number): Session {
  return {
    key: `mux:${name}`,
    agent: agent.id,
    title: name,
    cwd: folder,
    conversation: undefined,
    startedAt: undefined,
    run: undefined,
    records: [],
    status: { value: "open", seen: "about to be started", at: now },
    doubt: undefined,
  };
}
