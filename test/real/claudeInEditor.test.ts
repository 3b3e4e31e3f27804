import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";
import { buildProduct } from "../../scripts/build.ts";
import { markName } from "../../scripts/ownProcesses.ts";
import { installExtension } from "../../scripts/webHost/install.ts";
import { openPage } from "../../scripts/webHost/page.ts";
import { startWebHost, urlOf } from "../../scripts/webHost/server.ts";
import { answer, dialogOf, runCommand, toastOf } from "../ui/support/says.ts";
import type { SessionsView } from "../ui/support/sessionsView.ts";
import { openSessionsView } from "../ui/support/sessionsView.ts";
import { claudeFile, configureClaude, quietClaude, untilClaude } from "./support/agents/claude.ts";
import type { ClaudeProcess } from "./support/agents/claude.ts";
import { openTurns, turnsOf } from "./support/fakeModel/fakeModel.ts";
import { installRealAgents, repoRoot } from "./support/install.ts";
import { startLab } from "./support/lab.ts";
import type { Lab } from "./support/lab.ts";
import { identityOf, isAlive, treeOf } from "./support/processes.ts";
import { stays, until } from "./support/until.ts";

// A fresh HOME, no tmux, no settings: a person opens VS Code, types `claude` in its terminal, and looks at the view.

const all = new AsyncDisposableStack();
let lab: Lab;
let page: Page;
let view: SessionsView;
let cwd: string;
beforeAll(async () => {
  await installRealAgents(["claude"]);
  await buildProduct();
  lab = await startLab();
  all.defer(() => lab.close());
  configureClaude(lab);
  // Other rows may show what others run on this machine: of this name there is none.
  cwd = lab.folder(`of ${basename(lab.root)}`);
  const extensionsFolder = lab.folder("extensions");
  installExtension(extensionsFolder);
  const nothing = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const env = { ...nothing, ...lab.env, ...quietClaude, [markName]: lab.root };
  const host = all.use(await startWebHost({ dataFolder: lab.folder("data"), extensionsFolder, env }));
  ({ page } = all.use(await openPage()));
  await page.goto(urlOf(host, cwd));
  await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  view = await openSessionsView(page);
});
afterAll(() => all.disposeAsync());

test("a claude in VS Code's terminal is one row within 2 s, needs you only when it asks, is gone to, stopped by Delete, and resumed", async () => {
  onTestFailed(async () => void (await page.screenshot({ path: join(repoRoot, ".results/failed/a-claude-in-the-editor.png") })));
  await openTerminal();
  await page.keyboard.type("claude --permission-mode manual\n");
  const fresh = `claude in ${basename(cwd)}`;
  const shown = view.row(fresh).waitFor().then(now);
  const agent = await until(findClaude, 60_000);
  const startedAt = now();
  const { sessionId } = await untilClaude(agent, "idle");
  const idleAt = now();
  const shownAt = await shown;
  console.log(`Its row is there ${Math.round(shownAt - startedAt)} ms after its own file is`);
  expect(shownAt - idleAt).toBeLessThan(2000);
  await poll(() => groupsOf(fresh)).toEqual(["Open"]);

  await enter("/config", () => claudeFile(agent).waitingFor === "dialog open");
  await poll(() => view.row(fresh).getAttribute("aria-label")).toContain("a menu is open");
  expect(await groupsOf(fresh)).toEqual(["Open"]);
  // The first leaves only the field in which settings are searched.
  await pressUntil("Escape", () => claudeFile(agent).status === "idle");

  const marker = join(cwd, "tool-ran");
  const prompt = `BASH touch '${marker}'`;
  await enter(prompt, () => turnsOf(lab.model).some(({ userText }) => userText.includes(marker)));
  await untilClaude(agent, "waiting", "permission prompt");
  await poll(() => groupsOf(prompt)).toEqual(["Needs you"]);
  expect(await groupsOf(fresh)).toEqual([]);

  await openTerminal();
  await poll(() => terminal(/Claude Code/).getAttribute("aria-selected")).toBe("false");
  const clickedAt = now();
  await view.row(prompt).click();
  await poll(() => terminal(/Claude Code/).getAttribute("aria-selected")).toBe("true");
  console.log(`Its terminal is in front ${Math.round(now() - clickedAt)} ms after the click`);

  const tree = treeOf(agent.process.pid);
  const asked = lab.model.requests.length;
  await view.press(prompt, "Delete");
  await dialogOf(page).waitFor();
  expect(await dialogOf(page).innerText()).toContain("the pending step will not be run");
  await answer(page, "Stop");
  await toastOf(page, sessionId).waitFor();
  expect(tree.filter(isAlive)).toEqual([]);
  await view.row("Stopped").click();
  await poll(() => groupsOf(prompt)).toEqual(["Stopped"]);
  await until(() => openTurns(lab.model).length === 0);
  await stays(() => lab.model.requests.length === asked && !existsSync(marker), 1500);
  expect(lab.model.requests.slice(asked)).toEqual([]);
  expect(existsSync(marker)).toBe(false);
  // The shell that it was typed into is still there.
  expect(await page.getByRole("listitem", { name: /^Terminal \d/ }).count()).toBe(2);

  await view.chooseFromMenu(prompt, "Resume");
  const again = await until(findClaude, 60_000);
  expect([again.process.pid === agent.process.pid, claudeFile(again).sessionId]).toEqual([false, sessionId]);
  await untilClaude(again, "idle");
  await poll(() => groupsOf(prompt)).toEqual(["Open"]);
  expect(existsSync(marker)).toBe(false);
});

async function openTerminal(): Promise<void> {
  const before = await page.locator(".terminal-wrapper").count();
  await runCommand(page, "Terminal: Create New Terminal");
  await poll(() => page.locator(".terminal-wrapper").count()).toBe(before + 1);
  await page.locator(".terminal-wrapper.active .xterm.focus").waitFor();
}

/** One of the list that VS Code shows beside several terminals, by its title. */
function terminal(title: RegExp): Locator {
  return page.getByRole("listitem", { name: title });
}

/** Types it into the terminal that has the focus. An Enter that comes at once may be taken for one of a paste. */
async function enter(text: string, wasHeard: () => boolean): Promise<void> {
  await page.keyboard.type(text, { delay: 10 });
  await pressUntil("Enter", wasHeard);
}

async function pressUntil(key: string, wasHeard: () => boolean): Promise<void> {
  await until(async () => {
    if (!wasHeard()) await page.keyboard.press(key);
    return await until(wasHeard, 3000).catch(() => false);
  });
}

/** The groups in which a row of that name stands: one, unless it is shown twice. */
async function groupsOf(name: string): Promise<readonly unknown[]> {
  return (await view.picture()).flatMap((entry) => (typeof entry === "string" ? [] : entry[1].filter((row) => row === name).map(() => entry[0])));
}

function findClaude(): ClaudeProcess | undefined {
  const names = readdirSync(join(lab.home, ".claude/sessions")).filter((name) => /^\d+\.json$/.test(name));
  return names.map((name): ClaudeProcess => ({ lab, cwd, process: identityOf(Number(name.replace(".json", ""))) })).find(({ process: each }) => isAlive(each));
}

/** The editor answers when it has the time. */
function poll<T>(seen: () => Promise<T>): ReturnType<typeof expect.poll<T>> {
  return expect.poll(seen, { timeout: 15_000 });
}

function now(): number {
  return performance.now();
}
