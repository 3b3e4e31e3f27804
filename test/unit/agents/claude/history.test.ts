import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eraseAll, erased } from "../../system/erase/whole.ts";
import { aPerson, id, keptOf, neighbourId, promptLine, put, words } from "./keptTree.ts";

const own = promptLine(id, words);
const cutOff = own.slice(0, -2);
const neighbours = promptLine(neighbourId, "neighbour");
const names = promptLine(neighbourId, `claude --resume ${id}`);
const cutBefore = neighbours.slice(0, neighbours.indexOf("neighbour") + 4);
const quoting = `${promptLine(neighbourId, `,"sessionId":"${id}"`).slice(0, -2)}\n`;

const cannotBeRead = { name: "what was cut off in the prompt history", why: "it names the id, and whose it is can't be told", holds: "text" } as const;
const ofOthers = { name: "prompts of other conversations", why: "they name the id", holds: "id" } as const;

test.each<[string, string, string, readonly object[]]>([
  ["its prompt that was cut off at the end goes", neighbours + cutOff, neighbours, []],
  ["its prompt that was cut off goes from between others", `${neighbours}${cutOff}\n${neighbours}`, neighbours + neighbours, []],
  ["one that another's is glued to stays, and is told", own + cutOff + neighbours, cutOff + neighbours, [cannotBeRead]],
  ["its own, glued to what was cut off of another's, stays, and is told", cutBefore + own, cutBefore + own, [cannotBeRead]],
  ["another's that was cut off and quotes a line of it stays, and is told", own + quoting, quoting, [cannotBeRead]],
  ["several that can't be read are told once", `x${id}\n${own}y${id}\n`, `x${id}\ny${id}\n`, [cannotBeRead]],
  ["another's that names it stays, and is told", own + names, names, [ofOthers]],
])("%s", async (_fact, before, after, told) => {
  await using person = await aPerson();
  const { home, cwd } = person;
  const path = join(home, "history.jsonl");
  put(path, before);
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(await eraseAll(stores)).toEqual(before === after ? [] : [erased]);
  expect(readFileSync(path, "utf8")).toBe(after);
  expect(leftAlone).toEqual(told.map((each) => ({ ...each, path })));
});

const hash = "0123456789abcdef";
const pasting = (of: string): string => promptLine(of, "look at this", hash);

test.each<[string, string, boolean]>([
  ["that its own cut-off prompt points to goes", pasting(id).slice(0, -2), false],
  ["that a neighbour's cut-off prompt points to as well stays", pasting(id) + pasting(neighbourId).slice(0, -8), true],
  ["that a neighbour's prompt points to, with another's glued to it, stays", pasting(id) + pasting(neighbourId).slice(0, -8) + neighbours, true],
])("a paste %s", async (_fact, history, stays) => {
  await using person = await aPerson();
  const { home, cwd } = person;
  put(join(home, "history.jsonl"), history);
  const paste = join(home, "paste-cache", `${hash}.txt`);
  put(paste, "pasted");
  await eraseAll((await keptOf({ home, cwd })).stores);
  expect(existsSync(paste)).toBe(stays);
});
