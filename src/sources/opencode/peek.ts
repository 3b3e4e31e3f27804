import type { Run } from "../../core/facet.ts";
import type { Client, Message } from "./client.ts";
import type { ServerLook } from "./look.ts";

/** The last messages, as plain text. Undefined where the server has that directory not open: to ask for them would run its plugins. */
export async function peekAt({ key, host, asks }: Run, client: Client, { opened }: ServerLook, signal: AbortSignal): Promise<string | undefined> {
  if (host.kind !== "server" || !opened.has(host.directory)) return undefined;
  const messages = await client.messages(key.slice("opencode:".length), host.directory, shownMost, signal);
  if (messages.kind !== "ok") return undefined;
  const asked = asks ? [`? ${asks.tool}: ${asks.input}`] : [];
  return [...messages.value.map(textOf), ...asked].join("\n\n");
}
const shownMost = 8;

function textOf({ role, texts, runningTools }: Message): string {
  const tools = runningTools.map(({ tool, input }) => `… ${tool} ${JSON.stringify(input)}`);
  return [role === "user" ? `> ${texts.join("\n")}` : texts.join("\n"), ...tools].filter(Boolean).join("\n");
}
