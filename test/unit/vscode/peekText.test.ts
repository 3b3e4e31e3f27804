import { expect, it } from "vitest";
import { peekText } from "../../../src/vscode/peekText.ts";
import { now, ofServer, session } from "./sessions.ts";

const at = new Date(now);

it("the screen stands below who it is, without its escapes", () => {
  expect(peekText(session("login"), "\u001b[1mhello\u001b[0m\nworld\n\n", at)).toMatch(/^“login” {3}claude · app · 4m\n[^\n]+\n─+\nhello\nworld\n$/);
});

it("where there is nothing to be had, it says why", () => {
  expect(peekText(session("login"), undefined, at)).toContain("it runs in no tmux pane");
  expect(peekText(ofServer("schema"), undefined, at)).toContain("its server gave no message of it");
});

it("what it asks for is there, whole", () => {
  const short = ofServer("schema", { asks: { id: "per_1", tool: "bash", input: "make" } });
  expect(peekText(short, "? bash: make", at)).not.toContain("It asks to run");
  const input = `${"x".repeat(5_000)}\nthe end`;
  expect(peekText(ofServer("schema", { asks: { id: "per_1", tool: "bash", input } }), "a message", at)).toMatch(
    /a message\n─+\nIt asks to run bash:\n\nx{5000}\nthe end\n$/,
  );
});
