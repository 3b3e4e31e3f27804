import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionRecord } from "../../src/core/facet.ts";
import type { Source } from "../../src/core/source.ts";
import { createEntireSource } from "../../src/sources/entire/entireSource.ts";
import { until } from "../real/support/until.ts";
import { startChild } from "./children.ts";
import type { Child } from "./children.ts";
import { aRepository, aState, claudeWho, keyIn, look, ownerOf, realCensus, writeState } from "./entire.ts";
import type { StateOf } from "./entire.ts";
import { aFolder } from "./folder.ts";
import { python } from "./python.ts";

export const sleeping = claudeWho(({ argv }) => argv[0] === "sleep");
/** What nobody is: this process, had it been started earlier. */
export const gone = { pid: process.pid, start: "1", name: "claude" };
export const lastSeen = "2026-09-20T08:41:55.902113004Z";

export interface Place {
  readonly app: string;
  readonly path: string;
  readonly source: Source;
  readonly look: (id?: string) => Promise<SessionRecord>;
}

/** A repository with one session, `a`, whose owner is gone. */
export async function aPlace(over: StateOf = {}): Promise<Place & AsyncDisposable> {
  const folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const path = writeState(app, aState("a", { owner: ownerOf({ pid: gone.pid, start: { kind: "ticks", ticks: gone.start } }), ...over }));
  const source = createEntireSource({ repositories: [app], agents: [sleeping] });
  return {
    app,
    path,
    source,
    look: async (id = "a") => look(source, keyIn(app, id), app, await realCensus()),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The other program, which has the lock of `a`. */
export async function aPeer(how: "hold" | "revive", { app }: Place): Promise<Child> {
  const script = fileURLToPath(new URL("../unit/sources/entire/statePeer.py", import.meta.url));
  const peer = await startChild([python, script, how, join(app, ".git"), "a", ""]);
  await until(() => peer.said().includes("held"));
  return peer;
}
