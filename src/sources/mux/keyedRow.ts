import { setImmediate as breathe } from "node:timers/promises";
import { nameOfRow } from "./exactJson.ts";
import type { JsonObject } from "./json.ts";
import { parseRow } from "./row.ts";
import type { Row } from "./row.ts";

/** A row with all that is written in it. */
export interface KeyedRow {
  readonly row: Row;
  readonly value: JsonObject;
}

/** Of rows that share a name each is the how many-th of it. */
export function keyed(values: readonly JsonObject[]): readonly KeyedRow[] {
  return values.flatMap(keying());
}

/** The same for a reader who must not hold up anything. */
export async function keyedInParts(values: readonly JsonObject[]): Promise<readonly KeyedRow[]> {
  const key = keying();
  const rows: KeyedRow[] = [];
  for (const [index, value] of values.entries()) {
    if (index % 100 === 99) await breathe();
    rows.push(...key(value));
  }
  return rows;
}

function keying(): (value: JsonObject) => readonly KeyedRow[] {
  const counts = new Map<string, number>();
  return (value) => {
    const name = nameOfRow(value) ?? "";
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const row = parseRow(value, nth);
    return row ? [{ row, value }] : [];
  };
}
