import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Node, Scalar, YAMLMap } from "yaml";
import { exactMap, isForeign, isMap as isExactMap } from "./exact.ts";
import type { Exact, ExactEntry } from "./exact.ts";
import { plainValue, taggedValue } from "./scalar.ts";

/** Thrown where a parsed tree has no value: at which place of the text, and why. */
export class Unreadable extends Error {
  readonly offset: number;
  constructor(offset: number, reason: string) {
    super(reason);
    this.offset = offset;
  }
}

/** The values of a document's nodes, in the order of its text: an alias means the anchor before it. */
export function exactReader(): (node: Node | null) => Exact {
  const anchors = new Map<string, { exact: Exact | undefined; size: number }>();
  let size = 0;
  let depth = 0;

  return read;

  function read(node: Node | null): Exact {
    size++;
    if (node === null) return null;
    if (isAlias(node)) return aliased(node.source, startOf(node));
    const anchor = "anchor" in node && typeof node.anchor === "string" ? node.anchor : undefined;
    if (anchor === undefined) return inner(node);
    const before = size;
    const entry: { exact: Exact | undefined; size: number } = { exact: undefined, size: 0 };
    anchors.set(anchor, entry);
    entry.exact = inner(node);
    entry.size = size - before;
    return entry.exact;
  }

  function inner(node: Node): Exact {
    if (isScalar(node)) return scalarValue(node);
    if (++depth > deepest) throw new Unreadable(startOf(node), "it is nested too deep");
    const value = isMap(node) ? map(node) : isSeq(node) ? node.items.map((each) => read(each as Node | null)) : null;
    depth--;
    const { tag } = node;
    const isOfYaml = tag === undefined || tag === "!" || tag === "tag:yaml.org,2002:map" || tag === "tag:yaml.org,2002:seq";
    return isOfYaml ? value : { foreign: tag, value, source: undefined };
  }

  function aliased(name: string, offset: number): Exact {
    const entry = anchors.get(name);
    if (!entry) throw new Unreadable(offset, `there is no anchor "${name}" before this alias`);
    if (entry.exact === undefined) throw new Unreadable(offset, `the anchor "${name}" contains itself`);
    size += entry.size;
    if (size > largest) throw new Unreadable(offset, "its aliases expand to too much");
    return entry.exact;
  }

  function map(node: YAMLMap): Exact {
    const merged: ExactEntry[] = [];
    const own: ExactEntry[] = [];
    for (const pair of node.items) {
      const key = pair.key as Node | null;
      const exactKey = read(key);
      const value = read(pair.value as Node | null);
      if (isMergeKey(key)) merged.push(...mergedEntries(value, startOf(key)));
      else own.push({ key: exactKey, value });
    }
    return exactMap([...merged, ...own]);
  }
}
const deepest = 200;
const largest = 2_000_000;

/** A key without quotes: `"<<"` is a key like any other. */
export function isMergeKey(key: unknown): key is Node {
  return isScalar(key) && key.source === "<<" && (key.type === "PLAIN" || key.type === undefined) && key.tag === undefined;
}

export function scalarValue({ source = "", type, tag }: Scalar): Exact {
  const isPlain = type === "PLAIN" || type === undefined;
  if (tag === undefined || tag === "!") return isPlain ? plainValue(source) : source;
  const value = taggedValue(tag, source);
  return value === undefined ? { foreign: tag, value: source, source: undefined } : value;
}

/** Of several the first wins. */
function mergedEntries(value: Exact, offset: number): readonly ExactEntry[] {
  if (isExactMap(value)) return [...value.values()];
  if (!Array.isArray(value) || !value.every((each) => isExactMap(each) && !isForeign(each)))
    throw new Unreadable(offset, "only a map can be merged into a map");
  return value.toReversed().flatMap((each) => [...each.values()]);
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
