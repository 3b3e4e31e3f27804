import type { ServerResponse } from "node:http";
import { newId, sendJson, slowWords, startEvents, textOf } from "./answer.ts";
import type { Api, RequestBody } from "./answer.ts";
import type { Plan } from "./plan.ts";

/** Anthropic Messages, as Claude Code speaks it. */
export const anthropic: Api = { name: "anthropic", asked, answer };

function asked({ messages = [], tools = [] }: RequestBody): ReturnType<Api["asked"]> {
  const last = messages.findLast((message) => message.role === "user");
  const isToolResult = Array.isArray(last?.content) && last.content.some((part) => part.type === "tool_result");
  return { userText: textOf(last?.content), isToolResult, tools: tools.map((tool) => tool.name ?? "") };
}

async function answer(plan: Plan, { model, stream }: RequestBody, response: ServerResponse): Promise<void> {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: newId("msg"), type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage };
  const stop_reason = plan.kind === "call" ? "tool_use" : "end_turn";
  if (stream !== true) return sendJson(response, { ...message, content: [wholeBlock(plan)], stop_reason });

  startEvents(response);
  const send = (type: string, rest: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  const delta = (value: object) => send("content_block_delta", { index: 0, delta: value });
  send("message_start", { message });
  send("content_block_start", { index: 0, content_block: emptyBlock(plan) });
  switch (plan.kind) {
    case "say":
      delta({ type: "text_delta", text: plan.text });
      break;
    case "stream":
      for await (const text of slowWords(plan.seconds, response)) delta({ type: "text_delta", text });
      break;
    case "call":
      delta({ type: "input_json_delta", partial_json: JSON.stringify(plan.input) });
      break;
  }
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  send("message_stop", {});
  response.end();
}

function wholeBlock(plan: Plan): object {
  if (plan.kind === "call") return { type: "tool_use", id: newId("toolu"), name: plan.tool, input: plan.input };
  return { type: "text", text: plan.kind === "say" ? plan.text : "words" };
}

function emptyBlock(plan: Plan): object {
  return plan.kind === "call" ? { ...wholeBlock(plan), input: {} } : { type: "text", text: "" };
}
