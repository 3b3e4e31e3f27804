import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startChild } from "../../support/children.ts";
import { git, keyIn, ownerOf, readBack, stateFolderOf } from "../../support/entire.ts";
import { anExitedOwner, contentOf, idIn, openTrackedStage } from "../../support/trackedStage.ts";

const soonAgo = (): string => new Date(Date.now() - 60_000).toISOString();

test("every state is listed with what its owner tells; an exited one says who is gone, and the program is not called", async () => {
  await using stage = await openTrackedStage();
  const exited = await anExitedOwner();
  const living = await startChild(["sleep", "600"]);
  stage.put("died", { owner: exited });
  stage.put("died-idle", { owner: await anExitedOwner(), phase: "idle" });
  stage.put("lives", { owner: ownerOf(living.identity) });
  stage.put("quiet");
  stage.put("just-now", { last_interaction_time: soonAgo() });
  stage.put("waits", { phase: "idle" });
  stage.put("elsewhere", { owner: { ...exited, host: "another" }, phase: "idle" });
  stage.put("over", { phase: "ended", ended_at: "2026-09-20T08:41:55Z", owner: exited });
  stage.put("moved", { adopted_into_worktree_path: "/home/dev/other", owner: exited });
  expect(await stage.statuses()).toEqual([
    "died exited",
    "died-idle exited",
    "elsewhere unknown",
    "just-now unknown",
    "lives open",
    "moved archived",
    "over stopped",
    "quiet stuck",
    "waits unknown",
  ]);

  const { sessions, notices, unreachable } = await stage.listAll();
  expect([notices, unreachable]).toEqual([[], []]);
  const row = (id: string) => sessions.find(({ key }) => key === keyIn(stage.app, id));
  const whys = ["died", "elsewhere", "lives", "quiet", "moved"].map((id) => row(id)?.why);
  expect(whys).toEqual([
    `its owner claude (${String(exited["pid"])}) is gone`,
    `its owner claude (${String(exited["pid"])}) runs on another`,
    `its owner claude (${living.pid}) lives`,
    "no owner is recorded",
    "moved to /home/dev/other",
  ]);
  expect(row("died")).toMatchObject({ title: "prompt of died", agent: "claude", group: "Exited", cwd: stage.app, pid: null });

  expect(stage.calls()).toEqual([]);
  execFileSync("env", ["entire", "status"], { env: stage.env });
  expect(stage.calls()).toEqual(["status"]);
});

test("what can't be read is one notice and stays, and takes nothing from the others", async () => {
  await using stage = await openTrackedStage();
  stage.put("whole");
  const folder = stateFolderOf(stage.app);
  writeFileSync(join(folder, "cut-off.json"), '{"session_id": "cut-off",');
  writeFileSync(join(folder, "misnamed.json"), '{"session_id": "another", "phase": "active"}');
  symlinkSync("whole.json", join(folder, "linked.json"));
  writeFileSync(join(folder, "whole.model"), "claude");
  const before = contentOf(join(stage.app, ".git"));
  const { notices } = await stage.listAll();
  expect(notices).toEqual([{ place: join(stage.app, ".git"), sentence: "3 files of Entire in workspace/.git can't be read, and are left alone." }]);
  expect(await stage.statuses()).toEqual(["whole stuck"]);
  const swept = await stage.warden(["finalize"]);
  expect([swept.code, contentOf(join(stage.app, ".git"))]).toEqual([0, before]);
});

test("a repository and its worktrees list a session once, and a submodule has its own", async () => {
  await using stage = await openTrackedStage();
  const [worktree, library] = [join(stage.folder, "worktree"), join(stage.folder, "library")];
  git(stage.app, "worktree", "add", "-q", worktree);
  git(stage.folder, "clone", "-q", stage.app, library);
  git(stage.app, "submodule", "add", "-q", library, "library");
  stage.put("a", { owner: await anExitedOwner(), worktree_path: worktree });
  mkdirSync(stage.stateFolder, { recursive: true });
  writeFileSync(join(stage.stateFolder, "settings.json"), JSON.stringify({ "entire.repositories": [worktree, stage.app, join(stage.app, "library")] }));
  const own = join(stage.app, ".git/modules/library/entire-sessions");
  mkdirSync(own);
  writeFileSync(join(own, "a.json"), JSON.stringify({ ...readBack(stage.put("a")), owner: await anExitedOwner() }));
  expect(await stage.statuses()).toEqual(["a exited", "a stuck"]);
  const wouldClose = async (folder: string): Promise<number> =>
    (JSON.parse((await stage.warden(["finalize", "--repo", folder, "--dry-run", "--json"])).stdout) as readonly unknown[]).length;
  expect([await wouldClose(worktree), await wouldClose(join(stage.app, "library"))]).toEqual([0, 1]);
});

test("a dry run says which would be closed, with their pending work, and changes no byte", async () => {
  await using stage = await openTrackedStage();
  const owners = { pending: await anExitedOwner(), plain: await anExitedOwner() };
  stage.put("plain", { owner: owners.plain });
  stage.put("pending", { owner: owners.pending, files_touched: ["a.ts", "b.ts"], checkpoint_count: 1 });
  stage.put("quiet");
  const before = contentOf(join(stage.app, ".git"));
  const listed = (await stage.listAll()).sessions.flatMap(({ key, pending }) => (key.startsWith("entire:") ? [`${idIn(key)}: ${pending}`] : []));
  expect(listed.sort()).toEqual(["pending: 2 files, 1 step not yet in a checkpoint", "plain: null", "quiet: null"]);
  const said = await stage.warden(["finalize", "--dry-run"]);
  const why = (id: keyof typeof owners): string => `its owner claude (${String(owners[id]["pid"])}) is gone`;
  expect([said.code, said.stderr, said.stdout.split("\n").sort()]).toEqual([
    0,
    "",
    [
      `Would be recorded as stopped: “prompt of pending” (${why("pending")}; 2 files, 1 step not yet in a checkpoint)  ${keyIn(stage.app, "pending")}`,
      `Would be recorded as stopped: “prompt of plain” (${why("plain")})  ${keyIn(stage.app, "plain")}`,
    ],
  ]);
  const told = await stage.warden(["finalize", "--dry-run", "--json"]);
  const each = (["pending", "plain"] as const).map((id) => ({ session_id: keyIn(stage.app, id), title: `prompt of ${id}`, why: why(id) }));
  expect(new Set(JSON.parse(told.stdout) as unknown[])).toEqual(new Set(each));
  expect(contentOf(join(stage.app, ".git"))).toEqual(before);
  expect(stage.calls()).toEqual([]);
});
