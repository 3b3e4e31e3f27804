import { expect, test } from "vitest";
import { agents } from "../../../src/agents/agents.ts";
import { asTitle } from "../../../src/agents/titles.ts";
import type { Activity, AgentId } from "../../../src/core/facet.ts";

/** Titles that real agents set, what they prove, and the name in them. */
const titles: readonly [agent: AgentId, title: string, proves: Activity | undefined, name: string | undefined][] = [
  ["claude", "✳ Claude Code", undefined, undefined],
  ["claude", "✳ fix the login form", undefined, undefined],
  ["codex", "app", undefined, undefined],
  ["codex", "fix the login form | app", undefined, "fix the login form"],
  ["codex", "⠋ fix the login form | app", "working", "fix the login form"],
  ["codex", "⠏ fix | the | form | app", "working", "fix | the | form"],
  ["codex", "[ ! ] Action Required | fix the login form | app", "needsInput", "fix the login form"],
  ["codex", "[ . ] Action Required | app", "needsInput", undefined],
  ["codex", "why does it say [ ! ] Action Required | app", undefined, "why does it say [ ! ] Action Required"],
  ["codex", "a spinner ⠋ looks so | app", undefined, "a spinner ⠋ looks so"],
  ["codex", "⠋", undefined, undefined],
  ["cline", "Cline", undefined, undefined],
  ["cline", "> fix the login form", undefined, "fix the login form"],
  ["gemini", "◇  Ready (app)", "idle", undefined],
  ["gemini", "✦  Working… (app)", "working", undefined],
  ["gemini", "✦  Reading the ✋ file", "working", undefined],
  ["gemini", "⏲  Working… (app)", "working", undefined],
  ["gemini", "✋  Action Required (app)", "needsInput", undefined],
  ["gemini", "Gemini CLI (app)", undefined, undefined],
  ["copilot", "GitHub Copilot", undefined, undefined],
  ["copilot", "fix the login form - GitHub Copilot", undefined, "fix the login form"],
  ["opencode", "OpenCode", undefined, undefined],
  ["opencode", "OC | fix the login form", undefined, "fix the login form"],
];

test.each(titles)("%s: %s", (id, title, proves, name) => {
  const agent = agents.find((each) => each.id === id);
  expect([agent?.activityOfTitle?.(title), agent?.nameInTitle?.(title)]).toEqual([proves, name]);
});

test.each([
  ["fix the login form", "fix the login form"],
  ["  fix\n\n\tthe   login form\n", "fix the login form"],
  ["x".repeat(200), "x".repeat(200)],
  ["x".repeat(100_000), `${"x".repeat(199)}…`],
  ["👩‍🚀".repeat(300), `${"👩‍🚀".repeat(199)}…`],
])("a first prompt is a title of one line, of at most 200 signs, none of them cut in two", (prompt, title) => {
  expect(asTitle(prompt)).toBe(title);
});
