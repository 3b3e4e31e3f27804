import { chmodSync, copyFileSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { aRepository, aState, keyIn, look, recordsIn, soon, stateFolderOf, writeState } from "../../../support/entire.ts";
import { censusOf } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { claude, living, owner } from "../../../support/entireReading.ts";

test("a repository that Entire does not track is nothing", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  expect(await createEntireSource({ repositories: [app], agents: [] }).read(censusOf(), soon())).toEqual({ facets: [], unreachable: [], notices: [] });
});

test("a folder of states that is a link is told, and not followed; the other repository is read", async () => {
  await using folder = await aFolder();
  const [app, other] = [aRepository(join(folder.path, "app")), aRepository(join(folder.path, "other"))];
  writeState(app, aState("a"));
  writeState(other, aState("b"));
  renameSync(stateFolderOf(app), join(folder.path, "elsewhere"));
  symlinkSync(join(folder.path, "elsewhere"), stateFolderOf(app));
  const { facets, unreachable } = await createEntireSource({ repositories: [app, other], agents: [] }).read(censusOf(), soon());
  expect(facets.map(({ key }) => key)).toEqual([keyIn(other, "b")]);
  expect(unreachable).toEqual([{ place: join(app, ".git"), reason: "entire-sessions is a symbolic link" }]);
});

test("what is no state is counted in one notice, sidecars and temp files are not, and the rest is listed", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const path = writeState(app, aState("a"));
  const put = (name: string, text = "{}"): void => writeFileSync(join(stateFolderOf(app), name), text);
  for (const name of ["a.model", "a.agent", "a.banner", "a.json.0123456789abcdef.tmp"]) put(name);
  put("broken.json", "{");
  const source = createEntireSource({ repositories: [app], agents: [] });
  const words = async (): Promise<readonly string[]> => (await source.read(censusOf(), soon())).notices.map(({ sentence }) => sentence);
  expect(await words()).toEqual(["1 file of Entire in app/.git can't be read, and is left alone."]);
  symlinkSync(path, join(stateFolderOf(app), "link.json"));
  copyFileSync(path, join(stateFolderOf(app), "copy.json"));
  expect(await words()).toEqual(["3 files of Entire in app/.git can't be read, and are left alone."]);
  expect(await recordsIn(source, censusOf())).toHaveLength(1);
});

test("looked at again, it is as it is now, or not there, or can't be read", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  writeState(app, aState("a", { owner }));
  const source = createEntireSource({ repositories: [app], agents: [claude] });
  const record = await look(source, keyIn(app, "a"), app, censusOf(living));
  expect(record).toMatchObject({ says: { seen: "phase active" }, process: { pid: 41 } });
  writeState(app, aState("a", { owner, phase: "idle" }));
  expect(await look(source, record.key, app, censusOf())).toMatchObject({ says: { seen: "phase idle" }, liveness: { value: "gone" } });
  // Another that names the same process by now.
  writeState(app, aState("b", { owner }));
  expect(await look(source, record.key, app, censusOf(living))).not.toHaveProperty("process");

  const again = (): Promise<unknown> => source.lookAgain(record, censusOf(), soon());
  const path = writeState(app, aState("a"));
  writeFileSync(path, readFileSync(path, "utf8").slice(0, 100));
  expect(await again()).toEqual({ kind: "unreachable", reason: "its state file can't be read, and is left alone" });
  renameSync(path, `${path}.tmp`);
  expect(await again()).toEqual({ kind: "notThere" });
});

test("a file that may not be read is counted, where anything is forbidden to us", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  chmodSync(writeState(app, aState("a")), 0);
  const { facets, notices } = await createEntireSource({ repositories: [app], agents: [] }).read(censusOf(), soon());
  // To root nothing is.
  expect(facets.length + notices.length).toBe(1);
  expect(facets.length).toBe(process.getuid?.() === 0 ? 1 : 0);
});
