import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cline } from "../../../../src/agents/cline/cline.ts";
import { eraseAll, planIn, residueOf } from "../aHome.ts";
import { put } from "../seen.ts";
import { withDataFolder } from "./aDataFolder.ts";
import { folderOf, id, neighbour } from "./names.ts";

test("the index of its checkpoints goes, and the repository that it worked in stays as it is: no reference, no file changes, and no hook runs", async () => {
  await withDataFolder(async (home, folder) => {
    const repository = join(folder, "repository");
    const git = gitIn(repository);
    const before = await aRepository(repository);
    for (const of of [id, neighbour, `${id}x`]) git("update-ref", `refs/cline/checkpoints/${of}/1`, "HEAD");
    const hook = await put(join(repository, ".git/hooks/reference-transaction"), `#!/bin/sh\ntouch '${folder}/ran'\n`);
    execFileSync("chmod", ["+x", hook]);
    await put(folderOf(home, id, `${id}.json`), JSON.stringify({ cwd: repository }));
    const scratch = join(home, "checkpoint-scratch", createHash("sha256").update(`${repository}\0${id}`).digest("hex").slice(0, 32));
    await put(join(scratch, "index"), "DIRC");

    const plan = await planIn(cline, home, id);
    expect(plan.leftAlone).toContainEqual(expect.objectContaining({ name: "its checkpoints in the repository", path: repository, holds: "id" }));
    await eraseAll(plan);
    expect(await residueOf(plan)).toEqual([]);
    expect(git("for-each-ref", "--format=%(refname)").split("\n")).toEqual([
      `refs/cline/checkpoints/${id}/1`,
      `refs/cline/checkpoints/${id}x/1`,
      `refs/cline/checkpoints/${neighbour}/1`,
      "refs/heads/main",
      "",
    ]);
    expect(existsSync(scratch)).toBe(false);
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect(git("status", "--porcelain")).toBe(before);
  });
});

test("a folder that is no repository has none", async () => {
  await withDataFolder(async (home, folder) => {
    await put(folderOf(home, id, `${id}.json`), JSON.stringify({ cwd: folder }));
    expect((await planIn(cline, home, id)).leftAlone.map(({ path }) => path)).not.toContain(folder);
  });
});

async function aRepository(folder: string): Promise<string> {
  await mkdir(folder);
  const git = gitIn(folder);
  git("init", "-q", "-b", "main");
  await put(join(folder, "file"), "once");
  git("add", "file");
  git("-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "first");
  await put(join(folder, "file"), "changed");
  return git("status", "--porcelain");
}

function gitIn(folder: string): (...args: readonly string[]) => string {
  return (...args) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
}
