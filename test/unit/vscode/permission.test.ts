import { expect, it } from "vitest";
import { permissionQuestionOf } from "../../../src/vscode/permission.ts";
import { ofServer, session } from "./sessions.ts";

const asking = (input: string, tool = "bash") => permissionQuestionOf(ofServer("schema", { is: "needsInput", asks: { id: "per_1", tool, input } }));

it("who asks, the tool, where, and the whole input are shown before an answer", () => {
  expect(asking("rm -rf build\nnpm run build")).toEqual({
    message: "“schema” asks to run bash",
    detail: "/home/me/app · http://127.0.0.1:4096\n\nrm -rf build\nnpm run build\n\nTo allow it is for this once.",
    isWhole: true,
  });
});

it("what asks for nothing is no question", () => {
  expect(permissionQuestionOf(session("login", { is: "needsInput" }))).toBeUndefined();
  expect(permissionQuestionOf(ofServer("schema"))).toBeUndefined();
});

it("of a long input the beginning is shown, and that it goes on", () => {
  const long = asking("x".repeat(5_000));
  expect(long).toMatchObject({ isWhole: false });
  expect(long?.detail).toContain(`${"x".repeat(2_000)}\n… and it goes on for 3000 more letters`);
});

it("an input of many short lines does not push its end out of sight unsaid", () => {
  const tall = asking(`echo harmless${"\n".repeat(200)}rm -rf ~`);
  expect(tall?.isWhole).toBe(false);
  expect(tall?.detail).toContain("it goes on for");
  expect(tall?.detail.split("\n").length).toBeLessThan(40);
});

it("what hides or turns text around is not in the question", () => {
  const hostile = asking("echo \u202Eevil\u001b[2J", "bash\nAllow: harmless");
  expect(hostile?.message).toBe("“schema” asks to run bash Allow: harmless");
  for (const hidden of ["\u202E", "\u001b"]) expect(hostile?.detail).not.toContain(hidden);
});
