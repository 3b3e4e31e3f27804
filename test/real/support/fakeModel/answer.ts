import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Plan } from "./plan.ts";
import type { Asked } from "./plan.ts";

/** One API's way of telling the same: what of its request decides, and how its answer is written. */
export interface Api {
  readonly name: "anthropic" | "responses" | "chat" | "gemini";
  asked(body: RequestBody): Asked;
  /** Resolves when the whole answer is written, or when the caller has hung up. */
  answer(plan: Plan, body: RequestBody, response: ServerResponse): Promise<void>;
}

/** The parts of the four APIs' requests that matter here; anything else is not looked at. */
export interface RequestBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly Message[];
  readonly input?: string | readonly Message[];
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly Part[] }[];
  readonly tools?: readonly {
    readonly name?: string;
    readonly type?: string;
    readonly function?: { readonly name?: string };
    readonly functionDeclarations?: readonly { readonly name: string }[];
  }[];
}

export interface Message {
  readonly role?: string;
  readonly type?: string;
  readonly content?: string | readonly Part[] | null;
}

export interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly functionResponse?: unknown;
}

/** A message's own text, without the elements that an agent adds to what the person said. */
export function textOf(content: Message["content"]): string {
  const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
  return text
    .replaceAll(/<(system[-_]reminder|reminder|environment_context|session_context|current_datetime|local-command-\w+|command-\w+)>[\s\S]*?<\/\1>/g, "")
    .trim();
}

/** Yields four words and a line a second for `seconds` (Claude Code shows whole lines), and ends at once when the caller has hung up. */
export async function* slowWords(seconds: number, response: ServerResponse): AsyncGenerator<string> {
  for (let word = 0; word < seconds * 4; word++) {
    if (response.destroyed) return;
    yield word % 4 === 3 ? `word${word}\n\n` : `word${word} `;
    await pause(250);
  }
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

export function startEvents(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

let made = 0;
export function newId(prefix: string): string {
  return `${prefix}_${Date.now().toString(36)}${(made++).toString(36).padStart(6, "0")}`;
}
