import { describe, expect, test } from "vitest";
import { codex } from "../../../../src/agents/codex/codex.ts";
import { noAbort, withFolder } from "../seen.ts";
import { withAppServer } from "./appServer.ts";
import type { OpenThread, Request } from "./appServer.ts";

const id = "01a22a3e-7a1a-7042-a002-7d09585aaaad";
const threads = (turns: OpenThread["turns"] = []): readonly OpenThread[] => [
  { id, cwd: "/", createdAt: 1_796_005_067, name: "fix the login form", originator: "codex-tui", status: { type: "active" }, turns },
];

describe("the turn that Codex's daemon runs", () => {
  test("is ended by its thread's and its own id", async () => {
    const { ended, asked } = await endAt(threads([turn("first", "completed"), turn("second", "inProgress")]), id);
    expect(ended).toEqual({ kind: "turn", where: "Codex's background server" });
    expect(asked.at(-1)).toMatchObject({ method: "turn/interrupt", params: { threadId: id, turnId: "second" } });
  });

  test("is left alone once it is over", async () => {
    expect(methods(await endAt(threads([turn("first", "completed")]), id))).not.toContain("turn/interrupt");
    expect(methods(await endAt(threads(), id))).not.toContain("turn/interrupt");
  });

  test("is nobody's to end where the conversation isn't known: the daemon isn't even asked", async () => {
    const { ended, asked } = await endAt(threads([turn("first", "inProgress")]), undefined);
    expect([ended, asked]).toEqual([undefined, []]);
  });

  test("that the daemon doesn't know is no fault, and neither is a daemon that is gone", async () => {
    expect((await endAt(threads(), "01a22a3e-7c72-7963-9cb4-583170122175")).ended).toBeUndefined();
    await withFolder(async (home) => expect(await end(home, id)).toBeUndefined());
  });
});

function turn(of: string, status: string): { readonly id: string; readonly status: string } {
  return { id: of, status };
}

interface Ended {
  readonly ended: Awaited<ReturnType<typeof end>>;
  readonly asked: readonly Request[];
}

function endAt(open: readonly OpenThread[], conversationId: string | undefined): Promise<Ended> {
  return withFolder((home) => withAppServer(home, open, async (asked) => ({ ended: await end(home, conversationId), asked })));
}

async function end(home: string, conversationId: string | undefined) {
  const conversation = conversationId === undefined ? {} : { conversation: { agent: "codex", id: conversationId, toldBy: "agent", home } as const };
  const host = { kind: "process", process: { pid: 7, start: { kind: "ticks", ticks: "7" } } } as const;
  return codex.endTurnElsewhere?.({ host, configHome: home, ...conversation }, noAbort);
}

function methods({ asked }: Ended): readonly string[] {
  return asked.map(({ method }) => method);
}
