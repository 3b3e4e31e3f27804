import { expect, it } from "vitest";
import { questionFor } from "../../../src/vscode/question.ts";
import { ofServer, past, record, session, unnamedRun } from "./sessions.ts";

it("an idle, resumable session is stopped without a question", () => {
  expect(questionFor("stop", [session("login")])).toBeUndefined();
});

it("in the middle of a turn the session is named, and the button says what it does", () => {
  const question = questionFor("stop", [session("login", { is: "working" })]);
  expect(question).toMatchObject({ message: "Stop “login”?", button: "Stop" });
  expect(question?.detail).toContain("in the middle of a turn");
});

it("what can't be resumed is asked for", () => {
  expect(questionFor("stop", [session("login", { conversation: undefined })])?.detail).toContain("may not be resumable");
});

it("force is always asked for", () => {
  expect(questionFor("terminate", [session("login")])).toMatchObject({ message: "Force Terminate “login”?", button: "Force Terminate" });
});

it("to have chosen the one row names its process", () => {
  expect(questionFor("stop", [session("login", { run: unnamedRun("process:login") })])).toBeUndefined();
});

it("of several, one question lists all, and names each process that nothing else names", () => {
  const question = questionFor("stop", [session("login"), session("schema", { run: unnamedRun("process:schema") })]);
  expect(question).toMatchObject({ message: "Stop 2 sessions?", button: "Stop 2 Sessions" });
  expect(question?.detail).toContain("“login” · Claude Code");
  expect(question?.detail).toMatch(/“schema”[^]*claude \(4121\), which no record names/);
});

it("of many some are listed, those that would lose something first, and the rest are counted", () => {
  const idle = Array.from({ length: 30 }, (_, n) => session(`idle ${n}`));
  const detail = questionFor("stop", [...idle, session("schema", { is: "working" })])?.detail ?? "";
  expect(detail).toMatch(/^“schema”/);
  expect(detail.match(/^“/gm)).toHaveLength(10);
  expect(detail).toMatch(/\n\nand 21 more$/);
});

it("every process that nothing else names is named first, however many there are", () => {
  const unnamed = Array.from({ length: 12 }, (_, n) => session(`schema ${n}`, { run: unnamedRun(`process:${n}`) }));
  const detail = questionFor("stop", [session("login"), session("parser"), ...unnamed])?.detail ?? "";
  expect(detail.match(/which no record names/g)).toHaveLength(12);
  expect(detail).not.toContain("login");
  expect(detail).toMatch(/\n\nand 2 more$/);
});

it("a clean-up is always asked for: the session, its server, what is deleted, and that the lists forget it", () => {
  const question = questionFor("cleanUp", [ofServer("schema", { is: "working" })]);
  expect(question).toMatchObject({ message: "Clean Up “schema”?", button: "Clean Up" });
  expect(question?.detail).toBe(
    [
      "“schema” · OpenCode · http://127.0.0.1:4096 · /home/me/app",
      "",
      "Its conversation is deleted on its server, and can't be resumed.",
      "It is in the middle of a turn; the rest of the answer is lost.",
      "What ends is taken off the tracking files, too.",
    ].join("\n"),
  );
});

it("a clean-up of what does not run names the server that keeps it; of several, all in one question", () => {
  const old = past("old", "stopped", "by hand", { records: [record({ source: "opencode", key: "opencode:ses_old", place: "http://127.0.0.1:5000" })] });
  expect(questionFor("cleanUp", [old])?.detail).toContain("http://127.0.0.1:5000");
  const both = questionFor("cleanUp", [old, ofServer("schema")]);
  expect(both).toMatchObject({ message: "Clean Up 2 sessions?", button: "Clean Up 2 Sessions" });
  expect(both?.detail).toMatch(/“old”[^]*“schema”[^]*tracking files, too\.$/);
});

it("a hostile title brings no line of its own into the question", () => {
  expect(questionFor("terminate", [session("a\nProcess 1 is safe")])?.message).toBe("Force Terminate “a Process 1 is safe”?");
});
