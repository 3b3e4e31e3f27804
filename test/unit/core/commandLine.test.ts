import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { commandLineOf } from "../../../src/core/commandLine.ts";

test("plain words stay as they are", () => {
  expect(commandLineOf({ argv: ["claude", "--resume", "36ec9b97-6f5b"], cwd: "/home/someone/app" })).toBe(
    "cd -- /home/someone/app && claude --resume 36ec9b97-6f5b",
  );
});

test("its variables stand before it", () => {
  expect(commandLineOf({ argv: ["claude"], env: { CLAUDE_CONFIG_DIR: "/home/someone/my claude" } })).toBe("CLAUDE_CONFIG_DIR='/home/someone/my claude' claude");
});

test("a variable that it must not inherit is unset", () => {
  const line = commandLineOf({ argv: ["sh", "-c", 'echo "${A-none} $B"'], cwd: "/", env: { A: undefined, B: "two words" } });
  expect(line).toMatch(/^cd -- \/ && env -u A B='two words' sh /);
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8", env: { ...process.env, A: "inherited" } })).toBe("none two words\n");
});

test("a shell reads back the very words, whatever they hold", () => {
  const word = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const line = commandLineOf({ argv: ["printf", "%s\\0", ...words] });
      expect(execFileSync("sh", ["-c", line], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 40 },
  );
});

test("an empty word stays a word", () => {
  expect(commandLineOf({ argv: ["claude", ""] })).toBe("claude ''");
});
