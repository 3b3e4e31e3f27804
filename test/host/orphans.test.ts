import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import * as vscode from "vscode";
import { commandFor, readLog, rowsNamed, theExtension, untilIn, workspace } from "./stage.ts";
import { until } from "./until.ts";

type Item = vscode.QuickPickItem;

describe("what nobody needs any more", () => {
  const { showQuickPick, showWarningMessage } = vscode.window;
  before(() => theExtension().activate());
  afterEach(() => Object.assign(vscode.window, { showQuickPick, showWarningMessage }));

  it("an orphan is shown with why and what it takes, asked about by name, and ended", async () => {
    const gone = await run("true", []);
    await run("setsid", ["-f", "sleep", "7101"], { OPENCODE_PID: String(gone) });
    const pid = await until("it is there", () => findSleep("7101"));
    let items: readonly Item[] = [];
    let asked: readonly unknown[] = [];
    Object.assign(vscode.window, {
      showQuickPick: async (offered: readonly Item[]) => {
        items = offered;
        return offered.find(({ label }) => label === "sleep 7101");
      },
      showWarningMessage: async (...words: readonly unknown[]) => {
        asked = words;
        return "End";
      },
    });
    await vscode.commands.executeCommand("sessionWarden.findOrphans");

    const [separator] = items;
    assert.deepEqual([separator?.label, separator?.kind], ["can be ended", vscode.QuickPickItemKind.Separator]);
    const item = items.find(({ label }) => label === "sleep 7101");
    assert.equal(item?.detail, `It was left behind by OpenCode (${gone}), which is gone.`);
    assert.match(item?.description ?? "", /^\d+ kB · \d+ % CPU · now · /);
    assert.equal(asked[0], `End “sleep 7101” (${pid})?`);
    assert.match(JSON.stringify(asked[1]), new RegExp(`"modal":true.*Process ${pid} would be ended`));
    assert.equal(findSleep("7101"), undefined);
  });

  it("agents that have been idle for hours are offered in one list, and the chosen ones are stopped", async () => {
    const open = (subject: string, hours: number) => {
      const { argv, env, log } = commandFor("claude", subject);
      const [shellPath, ...shellArgs] = argv;
      const idleSince = String(Date.now() - hours * 3_600_000);
      vscode.window.createTerminal({ name: subject, shellPath, shellArgs, cwd: workspace(), env: { ...env, STAND_IN_IDLE_SINCE: idleSince } });
      return log;
    };
    const [old, young, kept] = [open("idle since yesterday", 24), open("idle since just now", 1), open("idle and kept", 12)];
    for (const subject of ["idle since yesterday", "idle since just now", "idle and kept"]) await untilIn("Open", subject);
    let title = "";
    let labels: readonly string[] = [];
    Object.assign(vscode.window, {
      showQuickPick: async (offered: readonly Item[], options: vscode.QuickPickOptions) => {
        title = options.title ?? "";
        labels = offered.filter(({ picked }) => picked).map(({ label }) => label);
        return offered.filter(({ label }) => label === "“idle since yesterday”");
      },
    });
    await vscode.commands.executeCommand("sessionWarden.reclaim");

    assert.match(title, /^\d+ open agents idle over 4 h, .* [MG]B: stop, all resumable$/);
    assert.deepEqual([labels.includes("“idle and kept”"), labels.includes("“idle since just now”")], [true, false]);
    await untilIn("Stopped", "idle since yesterday");
    assert.deepEqual(
      [old, young, kept].map((log) => readLog(log).filter(({ signal }) => signal).length),
      [1, 0, 0],
    );
    assert.equal(rowsNamed("idle and kept")[0]?.group, "Open");
  });
});

/** Resolves with its pid when it has ended, whatever it has left behind. */
async function run(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = spawn(file, args, { cwd: workspace(), env: { ...process.env, ...env }, stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

function findSleep(seconds: string): number | undefined {
  return readdirSync("/proc")
    .map(Number)
    .find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
      } catch {
        return false;
      }
    });
}
