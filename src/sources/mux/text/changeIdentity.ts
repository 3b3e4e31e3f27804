import { isMap, isScalar } from "yaml";
import type { YAMLMap } from "yaml";
import { identitiesKey } from "../emptyIdentity.ts";
import type { IdentityChange } from "../emptyIdentity.ts";
import { changedKeys } from "./changeKeys.ts";
import type { Composed } from "./document.ts";
import { exactOfJson, isMap as isExactMap, printOf, valueOf, withChanges } from "./exact.ts";
import type { ExactMap } from "./exact.ts";
import type { Splice } from "./places.ts";

/** Undefined where the entry is not written out where it stands. */
export function changedIdentity({ text, root }: Composed, { agent, set, remove }: IdentityChange): readonly Splice[] | undefined {
  const entry = mapAt(mapAt(root, identitiesKey), agent);
  if (!entry) return undefined;
  return changedKeys(
    text,
    entry,
    Object.entries(set).map(([key, value]) => [key, exactOfJson(value)] as const),
    remove,
  );
}

/** What the document says after it; undefined where there is no such entry. */
export function withIdentity(document: ExactMap, { agent, set, remove }: IdentityChange): ExactMap | undefined {
  const identities = valueOf(document, identitiesKey);
  const entry = valueOf(identities, agent);
  if (!isExactMap(identities) || !isExactMap(entry)) return undefined;
  const next = new Map(identities).set(printOf(agent), { key: agent, value: withChanges(entry, set, remove) });
  return new Map(document).set(printOf(identitiesKey), { key: identitiesKey, value: next });
}

/** Of keys that are there twice the last one counts. */
function mapAt(map: YAMLMap | undefined, name: string): YAMLMap | undefined {
  const value = map?.items.findLast(({ key }) => isScalar(key) && key.source === name)?.value;
  return isMap(value) ? value : undefined;
}
