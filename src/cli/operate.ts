import { confirmationFor } from "../core/lifecycle.ts";
import type { Operation } from "../core/lifecycle.ts";
import type { OperationContext } from "../core/operations/operation.ts";
import type { ProcessIdentity } from "../core/process.ts";
import type { Receipt } from "../core/receipt.ts";
import { receiptJson } from "../core/receiptJson.ts";
import type { Refusal } from "../core/refusal.ts";
import { sentenceOfConcern } from "../core/concernSentences.ts";
import { nameOf, sentenceOfReceipt, sentenceOfRefusal } from "../core/sentences.ts";
import type { AgentId } from "../core/facet.ts";
import type { Reach } from "../core/ladder.ts";
import { nameInRegistry } from "../core/session.ts";
import type { Session } from "../core/session.ts";
import type { Warden } from "../core/warden.ts";
import { blastRadius } from "./blastRadius.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { dieAt } from "./fault.ts";
import { findSession } from "./findSession.ts";
import type { By } from "./findSession.ts";
import { plain } from "./listing.ts";
import { abortedByInterrupt } from "./interrupt.ts";

interface Options {
  /** Given as `--session`: what a script of the registry's says. */
  readonly session?: string;
  /** Only those of this agent are meant. */
  readonly agent?: AgentId;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly tag?: string;
  readonly reach?: Reach;
}
type Act = (session: Session, context: OperationContext, named: ProcessIdentity | undefined) => Promise<Receipt>;

/** Finds the session, asks for --yes where a person has to see something first, acts, and says what happened. */
export async function operate(warden: Warden, operation: Operation, asked: string, options: Options, act: Act): Promise<ExitCode> {
  const signal = abortedByInterrupt();
  const { sessions } = await warden.roster.refresh(signal);
  const meant = options.agent === undefined ? sessions : sessions.filter(({ agent }) => agent === options.agent);
  const found = findSession(asked, meant, options.session !== undefined);
  if (found.kind === "refused") return tellRefusal(found, operation, asked, options);

  const { session, by } = found;
  const radius = operation === "terminate" ? blastRadius(session, options.reach ?? "session", sessions) : undefined;
  const concerns = [...(isScriptsStop(operation, session, by, options) ? [] : concernsOf(operation, session, by)), ...(radius === undefined ? [] : [radius])];
  if (concerns.length > 0 && !options.yes) return askForYes(operation, session, concerns, options);

  const itsProcess = session.run?.host.kind === "process" ? session.run.host.process : undefined;
  const context = warden.forOperation(signal, dieAt(process.env["SESSION_WARDEN_FAULT"]));
  const receipt = await act(session, context, by === "key" || options.yes ? itsProcess : undefined);
  tellReceipt(receipt, session, options);
  return exitCodeOf(receipt);
}

/** A stop of a row by its name is what scripts do, and the registry's own program asks nothing then. */
function isScriptsStop(operation: Operation, session: Session, by: By, options: Options): boolean {
  return operation === "stop" && by === "name" && options.session !== undefined && options.session === nameInRegistry(session);
}

/** What a person has to see first, in words. A title is no name: it changes, and somebody else may have chosen it. */
function concernsOf(operation: Operation, session: Session, by: By): readonly string[] {
  const concerns = confirmationFor(operation, session, { isNamed: by === "key" }).map((concern) => sentenceOfConcern(concern, session));
  const endsIt = operation === "stop" || operation === "terminate";
  return by === "title" && endsIt ? [`It was found by its title alone; its key is ${session.key}.`, ...concerns] : concerns;
}

function askForYes(operation: Operation, session: Session, concerns: readonly string[], { json }: Options): ExitCode {
  const message = plain([`${nameOf(session)}:`, ...concerns, "Run it again with --yes to do it."].join(" "));
  if (json) console.log(JSON.stringify({ status: "needs_confirmation", operation, session_id: session.key, concerns, message }, undefined, 2));
  else console.error(message);
  return 3;
}

export function tellReceipt(receipt: Receipt, session: Session, { json, tag }: Options): void {
  const force = `session-warden terminate ${session.key}`;
  if (json) return console.log(JSON.stringify(receiptJson(receipt, session, { force, ...(tag !== undefined && { tag }) }), undefined, 2));
  const sentence = sentenceOfReceipt(receipt, session, force);
  const text = plain([sentence, ...receipt.warnings.filter((warning) => !sentence.includes(warning))].join("\n"));
  return receipt.result.kind === "success" ? console.log(text) : console.error(text);
}

export function tellRefusal(refusal: Refusal, operation: Operation, asked: string, { json, tag }: Options, session?: Session): ExitCode {
  const message = plain(sentenceOfRefusal(refusal, session));
  const candidates = refusal.reason === "ambiguous" ? { candidates: refusal.candidates } : {};
  const told = {
    status: "refused",
    session_id: asked,
    source: session ? session.key.slice(0, session.key.indexOf(":")) : null,
    tag: tag ?? null,
    operation,
    message,
    reason: refusal.reason,
    session_existed: session !== undefined,
    ...(operation === "purge" && { purge_result: refusal.reason === "unsupported" ? "unsupported" : "blocked" }),
    ...candidates,
  };
  if (json) console.log(JSON.stringify(told, undefined, 2));
  else console.error(message);
  return refusal.reason === "ambiguous" ? 2 : 1;
}
