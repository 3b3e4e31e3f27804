import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { findProcess } from "../../scripts/ownProcesses.ts";
import { aRepository, aState, ownerOf, readBack, writeState } from "../support/entire.ts";
import type { StateOf } from "../support/entire.ts";
import { rowsNamed, theExtension, untilIn, workspace } from "./stage.ts";
import { until } from "./until.ts";

describe("in a folder whose repository Entire tracks", () => {
  const agents: ChildProcess[] = [];
  let app: string;
  before(async () => {
    await theExtension().activate();
    assert.ok(!existsSync(join(workspace(), ".git")), "it is somebody's repository");
    app = aRepository(workspace());
  });
  after(async () => {
    for (const agent of agents) agent.kill("SIGKILL");
    rmSync(join(workspace(), ".git"), { recursive: true, force: true });
    await until("its sessions are no longer there", () => rowsNamed("asked nobody").length === 0);
  });

  it("a session whose agent dies is exited by itself, and one that names nobody is not", async () => {
    const agent = spawn("sleep", ["600"], { stdio: "ignore" });
    agents.push(agent);
    await once(agent, "spawn");
    put("died", { last_prompt: "died here", owner: ownerIs(agent), files_touched: ["a.ts"] });
    put("quiet", { last_prompt: "asked nobody" });
    await untilIn("Open", "died here");

    agent.kill("SIGKILL");
    await once(agent, "exit");
    const row = await untilIn("Exited", "died here");
    assert.match(row.tooltip, new RegExp(`its owner claude \\(${agent.pid}\\) is gone`));
    assert.match(row.tooltip, /1 file not yet in a checkpoint/);
    await untilIn("Needs you", "asked nobody");
  });

  it("Finalize Exited Sessions closes the one, with its pending work, and leaves the other", async () => {
    const other = readFileSync(pathOf("quiet"), "utf8");
    await vscode.commands.executeCommand("sessionWarden.finalizeAll");
    await untilIn("Stopped", "died here");
    const state = readBack(pathOf("died"));
    assert.deepEqual([state["phase"], state["ended_at"], state["files_touched"], state["fully_condensed"]], ["ended", lastSeen, ["a.ts"], undefined]);
    assert.equal(readFileSync(pathOf("quiet"), "utf8"), other);
    assert.deepEqual(
      rowsNamed("asked nobody").map(({ group }) => group),
      ["Needs you"],
    );
  });

  function put(id: string, over: StateOf): void {
    writeState(app, aState(id, { worktree_path: app, last_interaction_time: lastSeen, ...over }));
  }

  function pathOf(id: string): string {
    return join(app, ".git/entire-sessions", `${id}.json`);
  }
});

const lastSeen = "2026-09-20T08:41:55.902113004Z";

function ownerIs({ pid = 0 }: ChildProcess): StateOf {
  const found = findProcess(pid);
  assert.ok(found, "it did not start");
  return ownerOf({ pid, start: { kind: "ticks", ticks: found.startTicks } });
}
