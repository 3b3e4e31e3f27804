import { confirmationFor } from "../core/lifecycle.ts";
import type { Operation } from "../core/lifecycle.ts";
import type { OperationContext } from "../core/operations/operation.ts";
import type { ProcessIdentity } from "../core/process.ts";
import type { Receipt } from "../core/receipt.ts";
import { receiptJson } from "../core/receiptJson.ts";
import { nameOf, sentenceOfConcern, sentenceOfReceipt, sentenceOfRefusal } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import type { Warden } from "../core/warden.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { dieAt } from "./fault.ts";
import { findSession } from "./findSession.ts";
import { plain } from "./listing.ts";

interface Options {
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly tag?: string;
}
type Act = (session: Session, context: OperationContext, named: ProcessIdentity | undefined) => Promise<Receipt>;

/** Finds the session, asks for --yes where a person has to see something first, acts, and says what happened. */
export async function operate(warden: Warden, operation: Operation, asked: string, { yes, json, tag }: Options, act: Act): Promise<ExitCode> {
  const cancel = new AbortController();
  process.once("SIGINT", () => cancel.abort());
  const { sessions } = await warden.roster.refresh(cancel.signal);
  const found = findSession(asked, sessions);
  if (found.kind === "refused") {
    const message = plain(sentenceOfRefusal(found, undefined));
    if (json)
      console.log(
        JSON.stringify(
          { status: "refused", operation, reason: found.reason, message, ...(found.reason === "ambiguous" && { candidates: found.candidates }) },
          undefined,
          2,
        ),
      );
    else console.error(message);
    return found.reason === "ambiguous" ? 2 : 1;
  }

  const { session, isNamed } = found;
  const concerns = confirmationFor(operation, session, { isNamed });
  if (concerns.length > 0 && !yes) {
    const message = plain([nameOf(session), ...concerns.map((concern) => sentenceOfConcern(concern, session)), "Run it again with --yes to do it."].join(" "));
    if (json) console.log(JSON.stringify({ status: "needs_confirmation", operation, session_id: session.key, concerns, message }, undefined, 2));
    else console.error(message);
    return 3;
  }

  const process_ = session.run?.host.kind === "process" ? session.run.host.process : undefined;
  const receipt = await act(session, warden.forOperation(cancel.signal, dieAt(process.env["SESSION_WARDEN_FAULT"])), isNamed || yes ? process_ : undefined);
  if (json) console.log(JSON.stringify(receiptJson(receipt, session, tag === undefined ? {} : { tag }), undefined, 2));
  else (receipt.result.kind === "success" ? console.log : console.error)(plain([sentenceOfReceipt(receipt, session), ...receipt.warnings].join("\n")));
  return exitCodeOf(receipt);
}
