import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FacetKey, SessionRecord } from "../../../../src/core/facet.ts";
import type { Guard, RecordOutcome, Source } from "../../../../src/core/source.ts";
import { createTrackingSource } from "../../../../src/sources/tracking/trackingSource.ts";
import { censusOf, seen } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";

export interface ATracking {
  readonly folder: string;
  readonly env: string;
  readonly details: string;
  readonly source: Source;
  readonly texts: () => { readonly env: string; readonly details: string };
  readonly names: () => readonly string[];
  readonly read: () => ReturnType<Source["read"]>;
  readonly forget: (id: string, guard?: Guard) => Promise<RecordOutcome>;
}

/** A folder with the two files, as far as their text is given, and what else lies there. */
export async function aTracking(files: {
  readonly env?: string;
  readonly details?: string;
  readonly others?: readonly string[];
}): Promise<ATracking & AsyncDisposable> {
  const folder = await aFolder();
  const [env, details] = [join(folder.path, "async-sessions.env"), join(folder.path, "async-sessions-details.json")];
  if (files.env !== undefined) writeFileSync(env, files.env);
  if (files.details !== undefined) writeFileSync(details, files.details);
  for (const name of files.others ?? []) writeFileSync(join(folder.path, name), name);
  const source = createTrackingSource({ env, details });
  return {
    folder: folder.path,
    env,
    details,
    source,
    texts: () => ({ env: readFileSync(env, "utf8"), details: readFileSync(details, "utf8") }),
    names: () => readdirSync(folder.path).sort(),
    read: () => source.read(censusOf(), AbortSignal.timeout(10_000)),
    forget: (id, guard) => forgetIn(source, id, guard),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

export async function forgetIn(source: Source, id: string, guard: Guard = () => true): Promise<RecordOutcome> {
  const outcome = await source.record?.(named(id), { kind: "forgotten" }, guard, AbortSignal.timeout(30_000));
  if (!outcome) throw new Error("It keeps no record.");
  return outcome;
}

/** As an operation has it that was given an id, and nothing else. */
export function named(id: string): SessionRecord {
  const key: FacetKey = `tracking:${id}`;
  return { kind: "record", key, source: "tracking", place: "tracking", liveness: seen("unknown"), says: seen("active") };
}
