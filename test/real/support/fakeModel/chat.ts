import type { ServerResponse } from "node:http";
import { newId, sendJson, slowWords, startEvents, textOf } from "./answer.ts";
import type { Api, RequestBody } from "./answer.ts";
import type { Plan } from "./plan.ts";

/** OpenAI chat completions, as Cline, OpenCode and Copilot speak it. */
export const chat: Api = { name: "chat", asked, answer };

function asked({ messages = [], tools = [] }: RequestBody): ReturnType<Api["asked"]> {
  const last = messages.findLast((message) => message.role === "user");
  return { userText: textOf(last?.content), isToolResult: messages.at(-1)?.role === "tool", tools: tools.map((tool) => tool.function?.name ?? "") };
}

async function answer(plan: Plan, { model, stream }: RequestBody, response: ServerResponse): Promise<void> {
  const base = { id: newId("chatcmpl"), created: Math.floor(Date.now() / 1000), model };
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
  const finish_reason = plan.kind === "call" ? "tool_calls" : "stop";
  if (stream !== true) {
    const choices = [{ index: 0, finish_reason, message: { role: "assistant", ...wholeDelta(plan) } }];
    return sendJson(response, { ...base, object: "chat.completion", choices, usage });
  }

  startEvents(response);
  const send = (delta: object, finish: string | null = null, rest: object = {}) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...rest })}\n\n`);
  };
  if (plan.kind === "stream") for await (const word of slowWords(plan.seconds, response)) send({ role: "assistant", content: word });
  else send({ role: "assistant", ...wholeDelta(plan) });
  send({}, finish_reason, { usage });
  response.end("data: [DONE]\n\n");
}

function wholeDelta(plan: Plan): object {
  if (plan.kind !== "call") return { content: plan.kind === "say" ? plan.text : "words" };
  const call = { index: 0, id: newId("call"), type: "function", function: { name: plan.tool, arguments: JSON.stringify(plan.input) } };
  return { content: null, tool_calls: [call] };
}
