import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRepositories } from "../../../../src/sources/entire/repositories.ts";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { aRepository, aState, git, keyIn, realCensus, recordsIn, soon, writeState } from "../../../support/entire.ts";
import { censusOf } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";

async function commonsOf(...folders: readonly string[]): Promise<readonly string[]> {
  const { commons, unreachable } = await openRepositories(folders).find(soon());
  expect(unreachable).toEqual([]);
  return commons;
}

test("worktrees are one repository, a submodule is another, a folder below is its repository's, and what is in none is nothing", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const library = aRepository(join(folder.path, "library"));
  git(app, "worktree", "add", "-q", "../fix-1");
  git(app, "submodule", "--quiet", "add", library, "parts/library");
  mkdirSync(join(app, "src"));
  symlinkSync(join(app, "src"), join(folder.path, "link to src"));
  mkdirSync(join(folder.path, "none"));
  writeFileSync(join(folder.path, "file"), "");

  const all = ["app", "fix-1", "app/src", "link to src", "app/parts/library", "none", "gone", "file", "app"].map((name) => join(folder.path, name));
  expect(await commonsOf(...all)).toEqual([join(app, ".git"), join(app, ".git/modules/parts/library")]);
  expect(await commonsOf(join(folder.path, "none"))).toEqual([]);
});

test("a session is listed once, whichever of its repository's worktrees are open, and one id in two repositories is two sessions", async () => {
  await using folder = await aFolder();
  const [app, other] = [aRepository(join(folder.path, "app")), aRepository(join(folder.path, "other"))];
  const worktree = join(folder.path, "fix-1");
  git(app, "worktree", "add", "-q", worktree);
  for (const repository of [app, other]) writeState(repository, aState("a", { worktree_path: worktree, worktree_id: "fix-1" }));
  const source = createEntireSource({ repositories: [worktree, app, other], agents: [] });
  const records = await recordsIn(source, censusOf());
  expect(records.map(({ key, cwd }) => [key, cwd])).toEqual([
    [keyIn(app, "a"), worktree],
    [keyIn(other, "a"), worktree],
  ]);
});

test("a worktree whose folder is gone keeps its sessions in the repository, and is nothing itself", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const worktree = join(folder.path, "fix-1");
  git(app, "worktree", "add", "-q", worktree);
  writeState(app, aState("a", { worktree_path: worktree }));
  rmSync(worktree, { recursive: true });
  expect(await recordsIn(createEntireSource({ repositories: [worktree], agents: [] }), censusOf())).toEqual([]);
  const [record] = await recordsIn(createEntireSource({ repositories: [worktree, app], agents: [] }), censusOf());
  expect(record).toMatchObject({ key: keyIn(app, "a"), cwd: worktree });
});

test("a worktree whose repository is gone is nothing, and no crash", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  git(app, "worktree", "add", "-q", "../fix-1");
  rmSync(app, { recursive: true });
  expect(await commonsOf(join(folder.path, "fix-1"))).toEqual([]);
});

test("git is asked again only when the folder's own .git is another, and is pointed nowhere by our environment", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const asked = countedGit(folder.path);
  const environment = { ...process.env };
  onTestFinished(() => void (process.env = environment));
  process.env = { ...environment, PATH: `${asked.bin}:${environment["PATH"]}`, GIT_DIR: join(folder.path, "elsewhere"), GIT_WORK_TREE: "/" };

  const none = join(folder.path, "none");
  mkdirSync(none);
  const repositories = openRepositories([app, none]);
  for (let look = 0; look < 3; look++) expect(await repositories.find(soon())).toEqual({ commons: [join(app, ".git")], unreachable: [] });
  expect(asked.count()).toBe(2);

  // Work in it changes nothing: only another repository does.
  writeFileSync(join(app, ".git", "index.lock"), "");
  await repositories.find(soon());
  expect(asked.count()).toBe(2);
  renameSync(join(app, ".git"), join(folder.path, "old"));
  mkdirSync(join(app, ".git"));
  expect((await repositories.find(soon())).commons).toEqual([]);
  expect(asked.count()).toBe(3);
});

test("without git, or where git refuses, that is told, and not that there is nothing", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const environment = { ...process.env };
  onTestFinished(() => void (process.env = environment));
  const bin = join(folder.path, "bin");
  mkdirSync(bin);
  process.env = { ...environment, PATH: bin };
  const repositories = openRepositories([app]);
  expect(await repositories.find(soon())).toEqual({ commons: [], unreachable: [{ place: app, reason: "git is not on PATH" }] });

  writeFileSync(join(bin, "git"), "#!/bin/sh\necho 'fatal: detected dubious ownership in repository' >&2; exit 128\n");
  chmodSync(join(bin, "git"), 0o755);
  expect(await repositories.find(soon())).toMatchObject({ commons: [], unreachable: [{ place: app, reason: "detected dubious ownership in repository" }] });
  process.env = environment;
  expect((await repositories.find(soon())).commons).toEqual([join(app, ".git")]);
});

test("where git gives no answer for a repository that was known, its sessions are silent, and not gone", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  writeState(app, aState("a"));
  const source = createEntireSource({ repositories: [app], agents: [] });
  const [record] = await recordsIn(source, censusOf());
  if (!record) expect.fail();
  const environment = { ...process.env };
  onTestFinished(() => void (process.env = environment));
  process.env = { ...environment, PATH: join(folder.path, "nothing") };
  expect(await source.lookAgain(record, censusOf(), soon())).toMatchObject({ kind: "seen" });
  // Another `.git`, so that git has to be asked.
  cpSync(join(app, ".git"), join(folder.path, "copy"), { recursive: true });
  renameSync(join(app, ".git"), join(folder.path, "old"));
  renameSync(join(folder.path, "copy"), join(app, ".git"));
  expect((await source.read(censusOf(), soon())).unreachable).toEqual([{ place: record.place, reason: "git is not on PATH" }]);
  expect(await source.lookAgain(record, censusOf(), soon())).toEqual({ kind: "unreachable", reason: "git is not on PATH" });
});

test("a folder that becomes a repository is read and watched as soon as it is one", async () => {
  await using folder = await aFolder();
  const app = join(folder.path, "app");
  mkdirSync(app);
  const source = createEntireSource({ repositories: [app], agents: [] });
  let changes = 0;
  using _ = source.watch(() => changes++);
  const census = await realCensus();
  expect(await recordsIn(source, census)).toEqual([]);
  aRepository(app);
  writeState(app, aState("a"));
  expect(await recordsIn(source, census)).toHaveLength(1);
  const before = changes;
  await expect.poll(() => (writeState(app, aState("b")), changes), { timeout: 20_000, interval: 200 }).toBeGreaterThan(before);
  expect(await recordsIn(source, census)).toHaveLength(2);
});

function countedGit(folder: string): { readonly bin: string; readonly count: () => number } {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const log = join(folder, "asked");
  writeFileSync(log, "");
  const real = git(folder, "--exec-path").trim();
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho asked >> "${log}"\nexec "${real}/git" "$@"\n`);
  chmodSync(join(bin, "git"), 0o755);
  return { bin, count: () => readFileSync(log, "utf8").split("\n").length - 1 };
}
