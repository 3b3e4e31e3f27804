import { expect, it } from "vitest";
import { chosenKeys, isKeyPress } from "../../../src/vscode/chosen.ts";
import type { Node } from "../../../src/vscode/picture.ts";
import { session } from "./sessions.ts";

const node = (title: string): Node => ({ kind: "session", session: session(title), nth: 1, below: [] });
const [a, b, c] = [node("a"), node("b"), node("c")];

it("the selection counts if the clicked row is in it", () => {
  expect(chosenKeys(a, [a, b])).toEqual(["process:a", "process:b"]);
});

it("a row clicked outside the selection is meant alone", () => {
  expect(chosenKeys(c, [a, b])).toEqual(["process:c"]);
});

it("a group is all of its sessions, each once", () => {
  const group = { kind: "group", by: "status", name: "Exited", children: [a, b], earlier: undefined } as Node;
  expect(chosenKeys(group, [group, a])).toEqual(["process:a", "process:b"]);
});

it("a row with others below it is meant alone; its group is all of them", () => {
  const root = { ...a, below: [b] } as Node;
  expect(chosenKeys(root, undefined)).toEqual(["process:a"]);
  const group = { kind: "group", by: "status", name: "Stopped", children: [root], earlier: { kind: "earlier", children: [c] } } as Node;
  expect(chosenKeys(group, undefined)).toEqual(["process:a", "process:b", "process:c"]);
});

it("keys name sessions by themselves, and anything else names none", () => {
  expect(chosenKeys("process:a", undefined)).toEqual(["process:a"]);
  expect(chosenKeys(["process:a", 3], undefined)).toEqual(["process:a"]);
  expect(chosenKeys({ other: true }, undefined)).toEqual([]);
});

it("a key's argument is told from a row", () => {
  expect(isKeyPress({ focused: true })).toBe(true);
  expect(isKeyPress(a)).toBe(false);
  expect(isKeyPress(undefined)).toBe(false);
});
