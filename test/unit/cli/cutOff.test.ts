import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProcess } from "../../../scripts/ownProcesses.ts";
import { openStage } from "../../support/stage.ts";
import type { Stage } from "../../support/stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Line {
  readonly kind: "intent" | "receipt";
  readonly id: string;
  readonly session?: string;
}

/** What the journal says of the newest operation on a session. */
function kindsOf(key: string): readonly string[] {
  const lines = readFileSync(join(stage.stateFolder, "journal.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const id = lines.findLast(({ kind, session }) => kind === "intent" && session === key)?.id;
  return lines.filter((line) => line.id === id).map(({ kind }) => kind);
}

const steps = ["begun", "capture", "recorded idCaptured", "taking ask", "ask", "recorded stopped", "done"] as const;

test.each(steps)("killed at “%s”: the journal shows the intent, the next look tells the truth, and the next stop is not held up", async (step) => {
  const session = await stage.startInPane(`cut ${step}`, "claude", { subject: `cut at ${step}` });
  const cut = await stage.warden(["stop", session.key, "--yes"], { SESSION_WARDEN_FAULT: step });
  expect(cut.signal).toBe("SIGKILL");
  expect(kindsOf(session.key)).toEqual(step === "done" ? ["intent", "receipt"] : ["intent"]);

  const isAlive = findProcess(session.pid ?? 0) !== undefined;
  const seen = (await stage.list()).find(({ key }) => key === session.key);
  expect(["idle", "exited", "stopped"].indexOf(seen?.status ?? "")).toBe(isAlive ? 0 : step === "done" || step === "recorded stopped" ? 2 : 1);
  expect(seen?.conversation_id).toBe(session.conversation_id);

  const next = await stage.warden(["stop", session.key, "--yes", "--json"]);
  expect([next.code, next.json().status, findProcess(session.pid ?? 0)]).toEqual([0, "success", undefined]);
  expect((await stage.list()).find(({ key }) => key === session.key)?.status).toBe("stopped");
});
