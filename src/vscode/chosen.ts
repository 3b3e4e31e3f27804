import type { FacetKey } from "../core/facet.ts";
import type { Node, SessionNode } from "./picture.ts";

/** The sessions of the clicked row, or of all the selected rows if it is one of them. Bare keys name sessions too. */
export function chosenKeys(clicked: unknown, selected: unknown): readonly FacetKey[] {
  if (typeof clicked === "string") return [clicked as FacetKey];
  if (Array.isArray(clicked)) return clicked.filter((key): key is FacetKey => typeof key === "string");
  if (!isNode(clicked)) return [];
  const nodes = Array.isArray(selected) && selected.includes(clicked) ? selected.filter(isNode) : [clicked];
  return [...new Set(nodes.flatMap(keysOf))];
}

/** What the manifest's keybindings give as their argument: there is no row in it. */
export function isKeyPress(clicked: unknown): boolean {
  return typeof clicked === "object" && clicked !== null && "focused" in clicked;
}

function keysOf(node: Node): readonly FacetKey[] {
  switch (node.kind) {
    case "session":
      return [node.session.key];
    case "group":
      return [...node.children, ...(node.earlier?.children ?? [])].flatMap(allKeysOf);
    case "earlier":
    case "automation":
      return node.children.flatMap(allKeysOf);
    case "notice":
      return [];
  }
}

/** With those below it, each of which a command takes or leaves by what can be done to it. */
function allKeysOf({ session, below }: SessionNode): readonly FacetKey[] {
  return [session.key, ...below.flatMap(allKeysOf)];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "kind" in value;
}
