import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellLine } from "../../../src/vscode/shellLine.ts";

it("a shell reads the line back as the very words", () => {
  const words = ["plain", "two words", "it's", "$HOME", "`id`", "a;b", "", "-x", "ü\\n"];
  const line = shellLine({ argv: ["printf", "%s\\0", ...words], cwd: "/", env: {} });
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(words);
});

it("the folder and the environment come first", () => {
  expect(shellLine({ argv: ["claude", "--resume", "6b1f"], cwd: "/home/me/my app", env: { CLAUDE_CONFIG_DIR: "/home/me/.other" } })).toBe(
    "cd -- '/home/me/my app' && CLAUDE_CONFIG_DIR=/home/me/.other claude --resume 6b1f",
  );
});
