import type { Permission } from "../../core/facet.ts";
import type { ServerLook } from "./look.ts";

export interface Wait {
  /** "permission: bash" */
  readonly words: string;
  readonly asks?: Permission;
}

/** What a session that is in a turn waits for. Of one that is not, what it once asked stays listed for ever and means nothing. */
export function wait(id: string, { runs, permissions, questions }: ServerLook): Wait | undefined {
  if (!runs.some((run) => run.id === id)) return undefined;
  const permission = permissions.find(({ sessionId }) => sessionId === id);
  if (permission) {
    const { id: request, tool, input } = permission;
    return { words: `permission: ${tool}`, asks: { id: request, tool, input } };
  }
  const question = questions.find(({ sessionId }) => sessionId === id);
  return question && { words: `question: ${question.question}` };
}
