import { InvalidArgumentError } from "commander";
import type { AgentId } from "../core/facet.ts";
import type { Reach } from "../core/ladder.ts";

/** What a command that is about one session can be told. */
export interface OperateOptions {
  readonly session?: string;
  readonly reason?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly tag?: string;
  readonly force?: boolean;
  readonly agent?: AgentId;
  readonly reach?: Reach;
  readonly purgeConversation?: boolean;
}

/** The session that is meant: as an argument or as an option. */
export function nameIn(asked: string | undefined, { session }: OperateOptions): string {
  const name = asked ?? session;
  if (name === undefined || name === "" || (asked !== undefined && session !== undefined)) {
    console.error("Name one session: its key, its name or its conversation id. `session-warden list` shows them.");
    throw new InvalidArgumentError("no session named");
  }
  return name;
}
