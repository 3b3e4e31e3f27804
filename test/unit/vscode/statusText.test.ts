import { expect, it } from "vitest";
import { statusTextOf } from "../../../src/vscode/statusText.ts";
import { past, session } from "./sessions.ts";

it("says how many work and how many need a person, and warns only for these", () => {
  expect(statusTextOf([session("a", { is: "working" }), session("b", { is: "working" }), session("c", { is: "needsInput" })])).toEqual({
    text: "$(record) 2 working · $(bell) 1 needs you",
    spoken: "Agent sessions: 2 working, 1 needs you",
    isWarning: true,
  });
  expect(statusTextOf([session("a", { is: "working" })])).toMatchObject({ text: "$(record) 1 working", isWarning: false });
});

it("says how many are open where all are quiet, and nothing where none lives", () => {
  expect(statusTextOf([session("a")])?.text).toBe("$(circle-outline) 1 open");
  expect(statusTextOf([past("a", "stopped", "by hand")])).toBeUndefined();
});
