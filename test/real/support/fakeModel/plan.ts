/** What the model does with one request, whatever the API that it is told in. */
export type Plan =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "stream"; readonly seconds: number }
  | { readonly kind: "call"; readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** What happens instead of an answer, in every API alike. */
export type Fault = { readonly kind: "hang" } | { readonly kind: "http"; readonly status: number; readonly retryAfterSeconds: number };

/** What of a request decides the answer. */
export interface Asked {
  /** The last user message's own text, without what the agent added to it. */
  readonly userText: string;
  readonly isToolResult: boolean;
  readonly tools: readonly string[];
}

/**
 * Steers the model by words in the last user text:
 *   SLOW n       stream words for n seconds
 *   BASH cmd     ask for the shell tool with cmd (BASH ESC cmd: Codex is told to ask for it outside its sandbox)
 *   BGBASH cmd   the same in the background, where the agent has that
 *   ASKQ         ask for the tool that puts a question to the person
 *   TASK prompt  ask for OpenCode's tool that gives the prompt to a sub-agent, which has words of its own by it
 *   HANG         send the headers of an answer, and then nothing
 *   HTTP n s     answer with that status, and the word to come again in s seconds
 *   else         answer "pong: <text>"
 * A tool's result is answered "done", and a request that offers no tools (an agent's own, for a title) at once.
 */
export function planFor({ userText, isToolResult, tools }: Asked): Plan | Fault {
  if (tools.length === 0) return { kind: "say", text: "Fake title" };
  if (isToolResult) return { kind: "say", text: "done" };
  const prompt = /TASK (.+)/.exec(userText)?.[1];
  if (prompt !== undefined && tools.includes("task"))
    return { kind: "call", tool: "task", input: { description: "a part of it", prompt, subagent_type: "general" } };
  const background = /BGBASH (.+)/.exec(userText)?.[1];
  if (background !== undefined && tools.includes("Bash"))
    return { kind: "call", tool: "Bash", input: { command: background, description: "run it", run_in_background: true } };
  const command = /BASH (.+)/.exec(userText)?.[1];
  if (command !== undefined) return shellCall(command, tools) ?? { kind: "say", text: "no shell here" };
  if (userText.includes("ASKQ")) return questionCall(tools) ?? { kind: "say", text: "no questions here" };
  if (/\bHANG\b/.test(userText)) return { kind: "hang" };
  const http = /\bHTTP (\d{3}) ?(\d*)/.exec(userText);
  if (http !== null) return { kind: "http", status: Number(http[1]), retryAfterSeconds: Number(http[2] || 60) };
  const slow = /SLOW ?(\d*)/.exec(userText);
  if (slow !== null) return { kind: "stream", seconds: Number(slow[1] || 60) };
  return { kind: "say", text: `pong: ${userText.slice(0, 60).replaceAll(/\s+/g, " ")}` };
}

function shellCall(asked: string, tools: readonly string[]): Plan | undefined {
  const command = asked.replace(/^ESC /, "");
  const outside = command === asked ? {} : { sandbox_permissions: "require_escalated", justification: "need it" };
  const inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    Bash: { command, description: "run it" },
    run_commands: { commands: [command] },
    execute_command: { command, requires_approval: true },
    exec_command: { cmd: command, ...outside },
    shell: { command: ["bash", "-lc", command], ...outside },
    shell_command: { command, ...outside },
    run_shell_command: { command, description: "run it" },
    bash: { command, description: "run it" },
  };
  return firstOffered(inputs, tools);
}

function questionCall(tools: readonly string[]): Plan | undefined {
  const question = "Go on?";
  const options = [
    { label: "Yes", description: "go on" },
    { label: "No", description: "stay" },
  ];
  return firstOffered(
    {
      AskUserQuestion: { questions: [{ question, header: "Go", multiSelect: false, options }] },
      question: { questions: [{ question, header: "Go", options }] },
      ask_followup_question: { question, options: ["Yes", "No"] },
      ask_question: { question, options: ["Yes", "No"] },
      request_user_input: { questions: [{ id: "go", question, header: "Go", options }] },
      ask_user: { question, choices: ["Yes", "No"], questions: [{ question, header: "Go", type: "choice", options }] },
    },
    tools,
  );
}

function firstOffered(inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>, tools: readonly string[]): Plan | undefined {
  const tool = Object.keys(inputs).find((name) => tools.includes(name));
  return tool === undefined ? undefined : { kind: "call", tool, input: inputs[tool] ?? {} };
}
