import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noAbort } from "../seen.ts";
import { aPerson, id, keptOf, lines, neighbourId, put, transcriptOf, words } from "./keptTree.ts";

const slug = "build-my";

/** One conversation that works by a plan, and the folder of plans. */
async function aPlanner(): Promise<Awaited<ReturnType<typeof aPerson>> & { readonly planOf: (name: string) => string; readonly neighbour: string }> {
  const person = await aPerson();
  const { home, cwd } = person;
  const planOf = (name: string): string => join(home, "plans", `${name}.md`);
  put(planOf(slug), words);
  put(join(home, "projects/-a", `${id}.jsonl`), transcriptOf(id, cwd, words) + lines({ slug }));
  return { ...person, planOf, neighbour: join(home, "projects/-a", `${neighbourId}.jsonl`) };
}

test("a plan whose name only begins like its own is the neighbour's, and stays", async () => {
  await using person = await aPlanner();
  const { home, cwd, planOf, neighbour } = person;
  const begins = [`${slug}-agent-router`, `${slug}-agent-`, `${slug}-agent-a12`];
  for (const name of begins) put(planOf(name), "neighbour");
  put(neighbour, lines(...begins.map((name) => ({ slug: name }))));
  const { stores, leftAlone } = await keptOf({ home, cwd });
  expect(stores.filter(({ name }) => name === "its plan").map(({ path }) => path)).toEqual([planOf(slug)]);
  expect(leftAlone).toEqual([{ name: "its plan", path: planOf(`${slug}-agent-a12`), why: "another conversation works by it", holds: "text" }]);
});

test("a plan that another conversation has come to work by since it was looked for stays", async () => {
  await using person = await aPlanner();
  const { home, cwd, planOf, neighbour } = person;
  const plan = (await keptOf({ home, cwd })).stores.find(({ path }) => path === planOf(slug));
  put(neighbour, lines({ slug }));
  expect(await plan?.erase(noAbort)).toEqual({ kind: "blocked", reason: "another conversation works by it" });
  expect(existsSync(planOf(slug))).toBe(true);
});
