import type { ServerResponse } from "node:http";
import { sendJson, slowWords, startEvents, textOf } from "./answer.ts";
import type { Api, Part, RequestBody } from "./answer.ts";
import type { Plan } from "./plan.ts";

/** Gemini's generateContent, whole or streamed (its URL says which). */
export function gemini(isStreamed: boolean): Api {
  return { name: "gemini", asked, answer: (plan, _body, response) => answer(plan, isStreamed, response) };
}

function asked({ contents = [], tools = [] }: RequestBody): ReturnType<Api["asked"]> {
  const parts: readonly Part[] = contents.at(-1)?.parts ?? [];
  return {
    userText: textOf(parts),
    isToolResult: parts.some((part) => part.functionResponse !== undefined),
    tools: tools.flatMap((tool) => tool.functionDeclarations ?? []).map((declared) => declared.name),
  };
}

async function answer(plan: Plan, isStreamed: boolean, response: ServerResponse): Promise<void> {
  if (!isStreamed) return sendJson(response, chunk(lastPart(plan), true));
  startEvents(response);
  const send = (value: object) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  if (plan.kind === "stream") for await (const text of slowWords(plan.seconds, response)) send(chunk({ text }, false));
  send(chunk(lastPart(plan), true));
  response.end();
}

function lastPart(plan: Plan): object {
  if (plan.kind === "call") return { functionCall: { name: plan.tool, args: plan.input } };
  return { text: plan.kind === "say" ? plan.text : "end" };
}

function chunk(part: object, isLast: boolean): object {
  return {
    candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...(isLast ? { finishReason: "STOP" } : {}) }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
    modelVersion: "fake",
  };
}
