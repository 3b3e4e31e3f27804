import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import { isAbsence, listIfPresent, readIfPresent } from "../../system/files.ts";
import { parseJson } from "../jsonText.ts";

/** A conversation, and one of the folders in which something of it may be. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly id: string;
}

/** What a file of dialogue says of itself. */
export interface Chat {
  /** Of the whole file: two that begin in the same minute, and whose ids share their first 8 characters, are written into one. */
  readonly ids: ReadonlySet<string>;
  /** What the person typed, as it stands in JSON without the quotes. */
  readonly prompts: ReadonlySet<string>;
  /** How each longer answer begins, written likewise. */
  readonly answers: ReadonlySet<string>;
  /** The lines of what was run by a shell. */
  readonly commands: ReadonlySet<string>;
  /** Of commands that it left running in the background. */
  readonly backgroundPids: ReadonlySet<string>;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface Transcript {
  readonly path: string;
  readonly chat: Chat;
}

/** By the name, which holds the first 8 characters of the id: whose they are, only the files themselves tell. */
export async function findChatFiles(project: string, id: string): Promise<readonly string[]> {
  const names = await listIfPresent(join(project, "chats"));
  const ends = ["jsonl", "json"].map((ending) => `-${id.slice(0, 8)}.${ending}`);
  return names.filter((name) => name.startsWith("session-") && ends.some((end) => name.endsWith(end))).map((name) => join(project, "chats", name));
}

export async function hasChat(home: string, id: string, signal: AbortSignal): Promise<boolean> {
  const projects = join(home, "tmp");
  for (const project of await listIfPresent(projects)) {
    signal.throwIfAborted();
    for (const path of await findChatFiles(join(projects, project), id)) if ((await firstIdIn(path)) === id) return true;
  }
  return false;
}

/** Undefined where it can't be read. */
export async function readChat(path: string): Promise<Chat | undefined> {
  const chat = {
    ids: new Set<string>(),
    prompts: new Set<string>(),
    answers: new Set<string>(),
    commands: new Set<string>(),
    backgroundPids: new Set<string>(),
    times: [] as number[],
  };
  const take = (value: unknown): void => {
    const { sessionId, timestamp, type, content, $set } = record.safeParse(value).data ?? {};
    if (sessionId !== undefined) chat.ids.add(sessionId);
    if (timestamp !== undefined) chat.times = [chat.times[0] ?? timestamp, timestamp];
    if ($set !== undefined) take($set);
    if (type === "user") for (const text of content ?? []) addPrompt(chat, text);
    if (type === "gemini") for (const text of content ?? []) if (text.length >= shortestAnswer) chat.answers.add(asWritten(beginOf(text)));
  };
  try {
    if (path.endsWith(".json")) {
      const whole = wholeFile.safeParse(parseJson(await readIfPresent(path, largestWholeFile))).data;
      if (!whole) return undefined;
      for (const each of [whole, ...whole.messages]) take(each);
    } else {
      for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
        for (const [, pid = ""] of line.matchAll(background)) chat.backgroundPids.add(pid);
        take(parseJson(line));
      }
    }
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  const [startedAt = 0, endedAt = startedAt] = chat.times;
  return { ...chat, startedAt, endedAt };
}

const shortestAnswer = 20;
const answerKept = 200;

const background = /(?:moved to background \(PID: |running in background\. PID: |\bbackground-)(\d+)\b/g;

const parts = z
  .union([z.string(), z.array(z.object({ text: z.string().optional().catch(undefined) }))])
  .transform((content) => (typeof content === "string" ? [content] : content.flatMap(({ text }) => text ?? [])))
  .optional()
  .catch(undefined);
const record = z.object({
  sessionId: z.string().optional().catch(undefined),
  timestamp: z.iso.datetime().transform(Date.parse).optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  content: parts,
  $set: z.looseObject({}).optional().catch(undefined),
});
const wholeFile = z.looseObject({ sessionId: z.string(), messages: z.array(z.unknown()) });
const largestWholeFile = 64 * 1024 * 1024;

function addPrompt({ prompts, commands }: { readonly prompts: Set<string>; readonly commands: Set<string> }, text: string): void {
  // What it tells the model by itself.
  if (text.startsWith("<session_context>")) return;
  const command = /^I ran the following shell command:\n```sh\n([\s\S]+?)\n```/.exec(text)?.[1];
  for (const line of linesOf(command ?? "")) commands.add(line);
  prompts.add(asWritten(command ?? text));
}

export function linesOf(command: string): readonly string[] {
  return command.split("\n").filter((line) => line.trim() !== "");
}

/** No half of a character at its end, which would be written otherwise. */
function beginOf(answer: string): string {
  return answer.slice(0, answerKept).replace(/[\uD800-\uDBFF]$/, "");
}

function asWritten(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

async function firstIdIn(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestFirstLine), 0, longestFirstLine, 0);
    return record.safeParse(parseJson(buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0])).data?.sessionId;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
const longestFirstLine = 16 * 1024;
