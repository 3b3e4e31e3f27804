import { cleanableId, cleanUp, isServersId, sessionOfId } from "../core/operations/cleanUp.ts";
import { facetsOf } from "../core/session.ts";
import type { Session } from "../core/session.ts";
import type { Warden } from "../core/warden.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { dieAt } from "./fault.ts";
import { tellReceipt } from "./operate.ts";
import { abortedByInterrupt } from "./interrupt.ts";

export interface CleanUpFlags {
  readonly force?: boolean;
  readonly cleanupTracking: boolean;
  readonly verify: boolean;
  readonly tag?: string;
  readonly json?: boolean;
}

/** What the seed's agent did: by its exact id, and without asking again. A session that nobody lists is looked for, and taken off the tracking files, all the same. */
export async function cleanUpById(
  warden: Warden,
  asked: string,
  { force = false, cleanupTracking, verify, tag, json = false }: CleanUpFlags,
): Promise<ExitCode> {
  const id = asked.replace(/^(opencode|tracking):/, "");
  if (!cleanableId.test(id)) {
    console.error("A session's id is made of letters, digits, _ and -, and begins with a letter or a digit. Nothing was done.");
    return 2;
  }
  const signal = abortedByInterrupt();
  // What can't be OpenCode's no server is asked about.
  const { sessions } = isServersId(id) ? await warden.roster.refresh(signal) : { sessions: [] };
  const session = sessions.find((listed) => hasId(listed, id)) ?? sessionOfId(id, Date.now());
  const context = warden.forOperation(signal, dieAt(process.env["SESSION_WARDEN_FAULT"]));
  const options = { reason: "manual_stop", reach: "session", force, tracking: cleanupTracking, verify, ...(tag !== undefined && { tag }) } as const;
  const receipt = await cleanUp(session, options, context);
  tellReceipt(receipt, session, { json, ...(tag !== undefined && { tag }) });
  return exitCodeOf(receipt);
}

function hasId(session: Session, id: string): boolean {
  return facetsOf(session).some(({ key }) => key === `opencode:${id}` || key === `tracking:${id}`);
}
