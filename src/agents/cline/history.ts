import { join } from "node:path";
import * as z from "zod";
import type { Kept, LeftAlone } from "../../core/store.ts";
import { countOf } from "../../system/erase/rows.ts";
import { lineStoresIn } from "../../system/erase/lines.ts";
import { lookAt } from "../../system/erase/confined.ts";
import { listIfPresent, readIfPresent } from "../../system/files.ts";
import { parseJson, parseJsonLines } from "../jsonText.ts";
import { isOf } from "./home.ts";

/**
 * The prompts that are kept for the Up key: the last 20 of a home, each once, without an id, and with the time of the last prompt of all. Those that this
 * conversation's transcript has, and no other's, are its own.
 */
export async function keptPrompts(home: string, id: string): Promise<Kept> {
  const path = join(home, "cache", "user_input_history.jsonl");
  const { kind } = await lookAt({ root: home, path });
  if (kind === "absent") return none;
  const transcript = join(home, "sessions", id, `${id}.messages.json`);
  const { kind: transcriptKind } = await lookAt({ root: home, path: transcript });
  if (transcriptKind === "absent") return none;
  const typed = transcriptKind === "file" ? promptsIn(await readIfPresent(transcript, transcriptBytes)) : undefined;
  if (!typed) return { stores: [], leftAlone: [leftAlone(path, "it tells no ids, and its transcript can't be read")] };

  const kept = parseJsonLines(await readIfPresent(path, historyBytes)).flatMap((line) => historyLine.safeParse(line).data?.prompt ?? []);
  const its = [...new Set(kept.filter((prompt) => typed.has(prompt)))];
  const shared = new Set<string>();
  for (const prompt of its) if (await isTypedElsewhere(home, id, prompt)) shared.add(prompt);
  const own = new Set(its.filter((prompt) => !shared.has(prompt)));
  return {
    stores: await lineStoresIn({
      root: home,
      path,
      name: "its prompts in the prompt history",
      belongsBecause: "they stand in its transcript, and in no other",
      isIts: (line) => own.has(historyLine.safeParse(parseJson(line)).data?.prompt ?? ""),
    }),
    leftAlone:
      shared.size > 0
        ? [leftAlone(path, `${shared.size === 1 ? "a prompt of it was" : `${shared.size} prompts of it were`} typed in another conversation too`)]
        : [],
  };
}
const none: Kept = { stores: [], leftAlone: [] };
const historyBytes = 16 * 1024 * 1024;
const transcriptBytes = 256 * 1024 * 1024;

const historyLine = z.object({ prompt: z.string().min(1) });
const messages = z.object({ messages: z.array(z.unknown()) });
const fromUser = z.object({ role: z.literal("user"), content: z.array(z.unknown()) });
const textPart = z.object({ type: z.literal("text"), text: z.string() });

/** As they were typed; undefined where it is no transcript as it is known. */
function promptsIn(transcript: string | undefined): ReadonlySet<string> | undefined {
  const read = messages.safeParse(parseJson(transcript)).data;
  if (!read) return undefined;
  const parts = read.messages.flatMap((message) => fromUser.safeParse(message).data?.content ?? []);
  const texts = parts.flatMap((part) => textPart.safeParse(part).data?.text ?? []);
  return new Set(texts.flatMap((text) => [...text.matchAll(/<user_input\b[^>]*>([\s\S]*?)<\/user_input>/g)].map(([, typed = ""]) => typed.trim())));
}

async function isTypedElsewhere(home: string, id: string, prompt: string): Promise<boolean> {
  const sessions = join(home, "sessions");
  const asWritten = `>${JSON.stringify(prompt).slice(1, -1)}</user_input>`;
  for (const other of await listIfPresent(sessions)) {
    if (isOf(id, other)) continue;
    const files = (await listIfPresent(join(sessions, other))).filter((name) => name.endsWith(".messages.json"));
    if (
      (await countOf(
        asWritten,
        files.map((name) => join(sessions, other, name)),
      )) > 0
    )
      return true;
  }
  return false;
}

function leftAlone(path: string, why: string): LeftAlone {
  return { name: "prompt history", path, why, holds: "text" };
}
