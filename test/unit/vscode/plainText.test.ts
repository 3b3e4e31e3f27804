import { expect, it } from "vitest";
import { plain, plainLines } from "../../../src/vscode/plainText.ts";

it("a title's escapes, line ends and controls are not shown", () => {
  expect(plain("\u001b[31mred\u001b[0m\nnext\u0007 \u0000bell")).toBe("red next bell");
});

it("a title cannot turn the text around it", () => {
  expect(plain("safe\u202Eexe.txt\u2066")).toBe("safeexe.txt");
});

it("a title with a link in it is no link in a notification", () => {
  expect(plain("[press](command:workbench.action.quit)")).not.toMatch(/\]\(/);
});

it("a title with an icon's name in it is no icon in a label", () => {
  expect(plain("$(bell) needs you")).not.toContain("$(");
});

it("a long title is cut, never through the middle of a sign", () => {
  const cut = plain("😀".repeat(50), 20);
  expect(cut.length).toBeLessThanOrEqual(20);
  expect(cut).toBe(cut.toWellFormed());
  expect(cut).toMatch(/…$/);
});

it("a screen keeps its lines and loses its escapes", () => {
  expect(plainLines("one\r\n\u001b[1mtwo\u001b[0m  \n\tthree")).toBe("one\ntwo\n three");
});
