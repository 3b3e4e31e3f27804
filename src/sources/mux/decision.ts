import type { RecordOutcome } from "../../core/source.ts";
import { rowAfter } from "./changeRow.ts";
import { emptyIdentity } from "./emptyIdentity.ts";
import type { Emptied } from "./emptyIdentity.ts";
import { isSameJson } from "./exactJson.ts";
import type { JsonObject } from "./json.ts";
import type { KeyedRow } from "./keyedRow.ts";
import type { RowText } from "./text/rowText.ts";
import type { TwinEdit } from "./twin/write.ts";

/** Decided under the lock, on the rows as they are then. */
export type Decision = RegistryEdit | { readonly kind: "outcome"; readonly outcome: RecordOutcome };
export type RegistryEdit =
  | {
      readonly kind: "change";
      readonly at: KeyedRow;
      readonly set: JsonObject;
      readonly remove: readonly string[];
      /** Of a purge: what goes with it out of the cache of ids, wherever that holds it. */
      readonly emptied?: Emptied;
    }
  | { readonly kind: "add"; readonly row: JsonObject }
  | { readonly kind: "remove"; readonly at: KeyedRow }
  | { readonly kind: "giveBack"; readonly cut: Cut };

/** What a removal took, to be given back. */
export interface Cut {
  readonly row: JsonObject;
  readonly text: RowText | undefined;
}

/** A change that changes nothing is already so. */
export function withoutNothing(decision: Decision, identities: JsonObject | undefined): Decision {
  if (decision.kind !== "change") return decision;
  const { at, set, remove } = decision;
  const news = Object.entries(set).filter(([key, value]) => !isSameJson(at.value[key], value));
  const left = remove.filter((key) => Object.hasOwn(at.value, key));
  if (news.length === 0 && left.length === 0 && !emptyIdentity(identities, decision.emptied)) return { kind: "outcome", outcome: { kind: "alreadySo" } };
  return { ...decision, set: Object.fromEntries(news), remove: left };
}

export function twinEdit(decision: Decision, identities: JsonObject | undefined): TwinEdit | undefined {
  switch (decision.kind) {
    case "outcome":
      return undefined;
    case "change": {
      const { row, value } = decision.at;
      const { emptied } = decision;
      const forGood = emptied && { identity: emptyIdentity(identities, emptied), isForGood: true };
      return { kind: "set", name: row.name, nth: row.nth, row: rowAfter(value, decision), ...forGood };
    }
    case "add":
      return { kind: "add", row: decision.row };
    case "giveBack":
      return { kind: "add", row: decision.cut.row };
    case "remove":
      return { kind: "remove", name: decision.at.row.name, nth: decision.at.row.nth };
  }
}

/** What the twin holds and nobody can read may be whole in the YAML, and nowhere else. */
export function isRemovedBy(decision: Decision, name: string): boolean {
  return decision.kind === "remove" && decision.at.row.name === name;
}

/** An earlier export may have been cut off, so also where nothing had to be changed. */
export function mayBeExported(decision: Decision): boolean {
  return decision.kind !== "outcome" || decision.outcome.kind === "alreadySo";
}
