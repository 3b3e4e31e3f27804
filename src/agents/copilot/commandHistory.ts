import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import type { Kept } from "../../core/store.ts";
import { withoutElements, withValue } from "../../system/cutElements.ts";
import { cutStoresIn } from "../../system/erase/cuts.ts";
import { isAbsence, readIfPresent } from "../../system/files.ts";
import { parseJson } from "../jsonText.ts";
import { promptsIn } from "./sessionStore.ts";

/** What was typed in any conversation, the same once only, and not in which: so what only this one was asked goes, by the turns of all. */
export async function commandHistory(home: string, id: string): Promise<Kept> {
  const path = join(home, "command-history-state.json");
  const entries = history.safeParse(parseJson(await readIfPresent(path, largestBytes))).data?.commandHistory;
  if (!entries) return { stores: [], leftAlone: [] };
  const turns = await promptsIn(home);
  const folder = join(home, "session-state", id);
  const typed = await typedIn(join(folder, "events.jsonl"));
  const name = /^name: *["']?(.+?)["']?$/m.exec((await readIfPresent(join(folder, "workspace.yaml"), largestBytes)) ?? "")?.[1];
  const own = new Set([...typed.prompts, ...turns.flatMap((turn) => (turn.id === id ? turn.prompt : []))]);
  const others = new Set(turns.flatMap((turn) => (turn.id === id ? [] : turn.prompt)));
  const isIts = (entry: unknown): boolean => typeof entry === "string" && own.has(entry) && !others.has(entry);
  const stores = await cutStoresIn({
    root: home,
    path,
    name: "its prompts in the command history",
    belongsBecause: "no other conversation was asked them",
    without: (text) => withValue(text, "commandHistory", (value) => withoutElements(value, isIts)),
  });
  const telling = [...own, ...(name === undefined ? [] : [name])].filter((text) => text.length >= shortestTelling);
  const isLeft = (entry: string): boolean => own.has(entry) || typed.commands.has(entry) || telling.some((text) => entry.includes(text));
  const why = "it does not say in which conversation something was typed, and others may have typed the same";
  const leftAlone = entries.some((entry) => !isIts(entry) && isLeft(entry))
    ? ([{ name: "some of what was typed in it", path, why, holds: "text" }] as const)
    : [];
  return { stores, leftAlone };
}
/** "yes" and "go on" stand everywhere. */
const shortestTelling = 8;
const largestBytes = 16 * 1024 * 1024;
const history = z.object({ commandHistory: z.array(z.string().catch("")) });

interface Typed {
  readonly prompts: Set<string>;
  /** With the mark by which a shell is asked for. */
  readonly commands: Set<string>;
}

async function typedIn(events: string): Promise<Typed> {
  const typed: Typed = { prompts: new Set(), commands: new Set() };
  try {
    for await (const line of createInterface({ input: createReadStream(events), crlfDelay: Number.POSITIVE_INFINITY })) {
      const { data } = event.safeParse(parseJson(line));
      if (data?.type === "user.message") typed.prompts.add(data.data.content);
      if (data?.type === "tool.user_requested") typed.commands.add(`!${data.data.arguments.command}`);
    }
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
  return typed;
}

const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("user.message"), data: z.object({ content: z.string() }) }),
  z.object({ type: z.literal("tool.user_requested"), data: z.object({ arguments: z.object({ command: z.string() }) }) }),
]);
