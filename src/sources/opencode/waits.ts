import type { Permission } from "../../core/facet.ts";
import type { Answer, Client, PermissionRequest, QuestionRequest } from "./client.ts";
import type { ServerLook, ServerRun } from "./look.ts";

export interface Waits {
  readonly permissions: readonly PermissionRequest[];
  readonly questions: readonly QuestionRequest[];
}

/** Asked only where something is at work: what was once asked and never answered stays listed for ever, also through the next turn of that session. */
export async function waitsOn(client: Client, runs: readonly ServerRun[], signal: AbortSignal): Promise<Waits> {
  const directoryOf = new Map(runs.flatMap(({ id, directory }) => (directory === undefined ? [] : [[id, directory]])));
  const second = runs.filter(({ engine }) => engine === "second");
  const directories = [...new Set(directoryOf.values())];
  const [permissions, theirs, questions] = await Promise.all([
    Promise.all(directories.map(async (directory) => rowsOf(await client.permissions(directory, signal)))),
    Promise.all(second.map(async ({ id }) => rowsOf(await client.activePermissions(id, signal)))),
    Promise.all(directories.map(async (directory) => rowsOf(await client.questions(directory, signal)))),
  ]);
  const isRunning = ({ sessionId }: Asked): boolean => runs.some(({ id }) => id === sessionId);
  const asked = { permissions: [...permissions, ...theirs].flat().filter(isRunning), questions: questions.flat().filter(isRunning) };
  const stale = new Set<Asked>();
  for (const each of [...asked.permissions, ...asked.questions]) if (await isOver(each)) stale.add(each);
  return { permissions: asked.permissions.filter((each) => !stale.has(each)), questions: asked.questions.filter((each) => !stale.has(each)) };

  /** The message in which it was asked is at its end. */
  async function isOver({ sessionId, messageId }: Asked): Promise<boolean> {
    const directory = directoryOf.get(sessionId);
    if (directory === undefined || messageId === undefined) return false;
    const messages = await client.messages(sessionId, directory, 4, signal);
    return messages.kind === "ok" && !messages.value.some(({ id, isFinished }) => id === messageId && !isFinished);
  }
}
type Asked = Pick<PermissionRequest, "sessionId" | "messageId">;

/** What can't be told of a wait makes it no less at work. */
function rowsOf<T>(answer: Answer<readonly T[]>): readonly T[] {
  return answer.kind === "ok" ? answer.value : [];
}

export interface Wait {
  /** "permission: bash" */
  readonly words: string;
  readonly asks?: Permission;
}

/** What a session waits for. */
export function findWait(id: string, { permissions, questions }: ServerLook): Wait | undefined {
  const permission = permissions.find(({ sessionId }) => sessionId === id);
  if (permission) {
    const { id: request, tool, input } = permission;
    return { words: `permission: ${tool}`, asks: { id: request, tool, input } };
  }
  const question = questions.find(({ sessionId }) => sessionId === id);
  return question && { words: `question: ${question.question}` };
}
