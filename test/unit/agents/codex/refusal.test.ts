import { expect, test } from "vitest";
import { eraseAll, residueOf } from "../aHome.ts";
import { deletes, eachInAPlace, id, planFor } from "./codexHome.ts";

const place = eachInAPlace();

test("a refusal of Codex's that has taken the transcript all the same is none", async () => {
  const { home, useProgram } = place();
  await useProgram(`${deletes.replace("exit 0", "")}\necho "failed to delete session" >&2\nexit 1`);
  const plan = await planFor(home, id);
  expect(new Map(await eraseAll(plan)).get("transcript")).toBe("erased");
  expect(await residueOf(plan)).toEqual([]);
});
