import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Kept } from "../../../../src/core/store.ts";
import { eraseAll } from "../aHome.ts";
import { eachInAPlace, id, marker, near, planFor } from "./codexHome.ts";

const place = eachInAPlace();
const leftIn = ({ leftAlone }: Kept, path: string) => leftAlone.filter((each) => each.path === path).map(({ holds }) => holds);

test("a line that was cut off goes where it told whose it is", async () => {
  const { home } = place();
  const path = join(home, "history.jsonl");
  await appendFile(path, `{"session_id":"${id}","ts":3,"text":"${marker} cut o`);
  const plan = await planFor(home, id);
  expect(leftIn(plan, path)).toEqual([]);
  await eraseAll(plan);
  expect(await readFile(path, "utf8")).toBe(`{"session_id":"${near}","ts":2000,"text":"neighbour"}\n`);
});

test("another's line that names it stays and is told, and so does one that another's is glued to", async () => {
  const { home } = place();
  const path = join(home, "history.jsonl");
  const theirs = `{"session_id":"${near}","ts":2,"text":"look into ${id}"}\n`;
  const glued = `{"session_id":"${id}","ts":3,"text":"cut o{"session_id":"${near}","ts":4,"text":"theirs"}\n`;
  await appendFile(path, theirs + glued);
  const plan = await planFor(home, id);
  expect(leftIn(plan, path)).toEqual(["text", "id"]);
  await eraseAll(plan);
  expect((await readFile(path, "utf8")).endsWith(theirs + glued)).toBe(true);
});
