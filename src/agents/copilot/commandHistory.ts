import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import type { Kept } from "../../core/store.ts";
import { withoutElements, withValue } from "../../system/cutElements.ts";
import { isGone } from "../../system/erase/confined.ts";
import { cutStoresIn } from "../../system/erase/cuts.ts";
import { reasonOf } from "../../system/erase/guarded.ts";
import { entriesOf } from "../../system/erase/unreadable.ts";
import { isAbsence, readIfPresent } from "../../system/files.ts";
import { parseJson } from "../jsonText.ts";
import { promptsIn } from "./sessionStore.ts";
import type { Turn } from "./sessionStore.ts";

/** What was typed in any conversation, the same once only, and not in which: so what only this one was asked goes, by the turns and the events of all. */
export async function commandHistory(home: string, id: string): Promise<Kept> {
  const path = join(home, "command-history-state.json");
  const entries = history.safeParse(parseJson(await readIfPresent(path, largestBytes))).data?.commandHistory;
  if (!entries) return { stores: [], leftAlone: [] };
  const turns = await promptsIn(home);
  const folder = join(home, "session-state", id);
  const typed = await typedIn(join(folder, "events.jsonl"));
  const name = /^name: *["']?(.+?)["']?$/m.exec((await readIfPresent(join(folder, "workspace.yaml"), largestBytes)) ?? "")?.[1];
  const own = new Set([...typed.prompts, ...(turns ?? []).flatMap((turn) => (turn.id === id ? turn.prompt : []))]);
  const others = await typedElsewhere(home, id, turns, new Set(entries.filter((entry) => own.has(entry))));
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

/** Which of these texts another conversation was asked, or may have been: what can't be read may tell of any. */
async function typedElsewhere(home: string, id: string, turns: readonly Turn[] | undefined, texts: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const files = await eventsOfOthers(home, id);
  if (!turns || !files) return texts;
  const typed = new Set(turns.flatMap((turn) => (turn.id === id ? [] : turn.prompt)));
  const quoted = [...texts].map((text) => ({ text, asWritten: JSON.stringify(text) }));
  for (const path of texts.size === 0 ? [] : files) {
    try {
      for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
        if (path.endsWith(".jsonl") && !line.includes('"user.message"')) continue;
        for (const { text, asWritten } of quoted) if (line.includes(asWritten)) typed.add(text);
      }
    } catch (error) {
      if (!isGone(error) && reasonOf(error)) return texts;
    }
  }
  return typed;
}

/** Of earlier versions' too; undefined where a folder can't be read. */
async function eventsOfOthers(home: string, id: string): Promise<readonly string[] | undefined> {
  const files: string[] = [];
  for (const folder of ["session-state", "history-session-state"].map((name) => join(home, name))) {
    const entries = await entriesOf(folder);
    if (entries === "unreadable") return undefined;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (!entry.name.includes(id)) files.push(entry.isFile() ? path : join(path, "events.jsonl"));
    }
  }
  return files;
}

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
