import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { eachInAPlace, id, planFor } from "./codexHome.ts";

const place = eachInAPlace();

test("databases that our environment names are of the home that it names too, and of no copy", async () => {
  const { home } = place();
  const elsewhere = join(home, "../databases");
  await cp(home, elsewhere, { recursive: true });
  vi.stubEnv("CODEX_SQLITE_HOME", elsewhere);
  const planned = async () => (await planFor(home, id)).stores.filter(({ path }) => path.startsWith(elsewhere));
  expect(await planned()).toEqual([]);
  vi.stubEnv("CODEX_HOME", home);
  expect(await planned()).not.toEqual([]);
});
