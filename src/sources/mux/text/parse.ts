import { isJsonObject } from "../exactJson.ts";
import type { JsonObject } from "../json.ts";
import { compose } from "./document.ts";
import type { Composed, Corrupt } from "./document.ts";
import { jsonOf, valueOf } from "./exact.ts";
import type { Exact } from "./exact.ts";

/** A registry's text, what it says, and where. */
export interface Parsed {
  readonly kind: "parsed";
  /** One that is no map, or has no name, is undefined: it keeps its place. */
  readonly rows: readonly (JsonObject | undefined)[];
  readonly identities: JsonObject | undefined;
  readonly composed: Composed;
}

/** What other programs read in a registry's YAML text. An empty text is a registry without rows. */
export async function parseRegistry(text: string): Promise<Parsed | Corrupt> {
  const composed = await compose(text);
  if (composed.kind === "corrupt") return composed;
  return { kind: "parsed", rows: composed.rows.map(namedRow), identities: asObject(valueOf(composed.document, "agent_identities")), composed };
}

function namedRow(row: Exact): JsonObject | undefined {
  return typeof valueOf(row, "name") === "string" ? asObject(row) : undefined;
}

function asObject(exact: Exact | undefined): JsonObject | undefined {
  const json = exact === undefined ? undefined : jsonOf(exact);
  return isJsonObject(json) ? json : undefined;
}
