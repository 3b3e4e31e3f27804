import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { eraseAll } from "../aHome.ts";
import { aDataHome, names, plan, putOpencode } from "./aDataHome.ts";

test("a database of another OpenCode in the same home that has it is told, and stays", async () => {
  const place = await aDataHome();
  putOpencode(place);
  const other = join(place.home, "opencode-dev.db");
  copyFileSync(place.database, other);
  place.put(".local/share/opencode/opencode-else.db", "of others");
  const kept = await plan(place);
  expect(kept.leftAlone).toContainEqual(expect.objectContaining({ path: other, holds: "text" }));
  expect(kept.leftAlone.map(({ path }) => path)).not.toContain(join(place.home, "opencode-else.db"));
  const before = readFileSync(other);
  await eraseAll(kept);
  expect(readFileSync(other)).toEqual(before);
});

test("a database that our own environment names is not that of another home, and OpenCode is not led to it there", async () => {
  const original = await aDataHome();
  const copy = await aDataHome();
  putOpencode(copy);
  vi.stubEnv("OPENCODE_DB", original.database);
  onTestFinished(() => void vi.unstubAllEnvs());
  const kept = await plan(copy);
  expect(kept.stores.map(({ path }) => path)).toContain(copy.database);
  expect(kept.stores.map(({ path }) => path)).not.toContain(original.database);
  await eraseAll(kept);
  expect(JSON.parse(readFileSync(copy.ran, "utf8"))).toMatchObject([{}, {}, { OPENCODE_DB: null }]);
});

test("in the usual home it is the one that our own environment names", async () => {
  const place = await aDataHome();
  putOpencode(place);
  vi.stubEnv("XDG_DATA_HOME", join(place.root, ".local/share"));
  vi.stubEnv("OPENCODE_DB", "own.db");
  copyFileSync(place.database, join(place.home, "own.db"));
  expect(names(await plan(place))).toContain("its rows in OpenCode's database: own.db");
});
