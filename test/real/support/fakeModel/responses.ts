import type { ServerResponse } from "node:http";
import { newId, slowWords, startEvents, textOf } from "./answer.ts";
import type { Api, RequestBody } from "./answer.ts";
import type { Plan } from "./plan.ts";

/** OpenAI Responses, as Codex speaks it. */
export const responses: Api = { name: "responses", asked, answer };

function asked({ input = [], tools = [] }: RequestBody): ReturnType<Api["asked"]> {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const last = items.findLast((item) => item.role === "user");
  return {
    userText: textOf(last?.content),
    isToolResult: items.at(-1)?.type?.endsWith("output") === true,
    tools: tools.map((tool) => tool.name ?? tool.type ?? ""),
  };
}

async function answer(plan: Plan, _body: RequestBody, response: ServerResponse): Promise<void> {
  const answered = { id: newId("resp"), object: "response" };
  startEvents(response);
  const send = (type: string, rest: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  send("response.created", { response: { ...answered, status: "in_progress", output: [] } });
  const item = plan.kind === "call" ? callItem(plan) : await sayItem(plan, send, response);
  if (plan.kind === "call") send("response.output_item.added", { output_index: 0, item });
  send("response.output_item.done", { output_index: 0, item });
  const usage = {
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 10,
  };
  send("response.completed", { response: { ...answered, status: "completed", output: [item], usage } });
  response.end();
}

function callItem({ tool, input }: Extract<Plan, { kind: "call" }>): object {
  return { type: "function_call", id: newId("fc"), call_id: newId("call"), name: tool, arguments: JSON.stringify(input), status: "completed" };
}

async function sayItem(plan: Exclude<Plan, { kind: "call" }>, send: (type: string, rest: object) => void, response: ServerResponse): Promise<object> {
  const message = { type: "message", id: newId("msg"), role: "assistant" };
  send("response.output_item.added", { output_index: 0, item: { ...message, status: "in_progress", content: [] } });
  let said = "";
  const say = (delta: string) => {
    said += delta;
    send("response.output_text.delta", { item_id: message.id, output_index: 0, content_index: 0, delta });
  };
  if (plan.kind === "say") say(plan.text);
  else for await (const word of slowWords(plan.seconds, response)) say(word);
  return { ...message, status: "completed", content: [{ type: "output_text", text: said, annotations: [] }] };
}
