import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoSession } from "../../scripts/demo/sessions.ts";
import { isAlive } from "../../scripts/ownProcesses.ts";
import { onlyOf } from "./support/picture.ts";
import { answer, answerInput, dialogOf, runCommand } from "./support/says.ts";
import type { SessionsView } from "./support/sessionsView.ts";
import { openSessionsView } from "./support/sessionsView.ts";
import type { Workbench } from "./support/workbench.ts";
import { openWorkbench } from "./support/workbench.ts";

const claude = { agent: "claude", mode: "open" } as const;
const sessions: readonly DemoSession[] = [
  { ...claude, subject: "blue one", project: "sky", in: { tmux: "blue" } },
  { ...claude, subject: "green one", project: "field", in: { tmux: "green" } },
  { ...claude, subject: "red one", project: "field", mode: "waiting", in: { tmux: "red" } },
];
const names = sessions.map(({ subject }) => subject);

describe("with the keyboard alone", () => {
  let workbench: Workbench;
  let view: SessionsView;
  beforeAll(async () => {
    workbench = await openWorkbench({ sessions });
    view = await openSessionsView(workbench.page);
    await view.row("red one").waitFor();
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  const picture = async (): Promise<unknown> => onlyOf(names, await view.picture());
  const lives = (subject: string): boolean => isAlive(workbench.demo.of(subject).process);

  it("sessions are grouped by folder, and by status again", async () => {
    await runCommand(workbench.page, "Session Warden: Group by Folder");
    await expect.poll(picture).toEqual([
      ["field", ["red one", "green one"]],
      ["sky", ["blue one"]],
    ]);
    await runCommand(workbench.page, "Session Warden: Group by Status");
    await expect.poll(picture).toEqual([
      ["Needs you", ["red one"]],
      ["Open", ["blue one", "green one"]],
    ]);
  });

  it("a filter leaves what it names, and one that hides all says so and offers all", async () => {
    const { page } = workbench;
    await filter("green");
    await expect.poll(async () => onlyOf(names, await view.picture())).toEqual([["Open", ["green one"]]]);
    await filter("no such word");
    await page.getByText("The filter hides every session.").waitFor();
    await page.getByRole("region", { name: "Welcome" }).getByRole("button", { name: "Show All" }).click();
    await expect.poll(picture).toHaveLength(2);
  });

  it("F2 gives a name that stays", async () => {
    const { page } = workbench;
    await view.press("blue one", "F2");
    await answerInput(page, /^Rename/, "azure one");
    await view.row("azure one").waitFor();
  });

  it("Space shows the last screen, read only, and sends nothing", async () => {
    const { page, demo } = workbench;
    await view.press("red one", "Space");
    // The editor draws spaces as ones that don't break.
    await page
      .locator(".view-lines")
      .getByText(/Allow\sBash/)
      .waitFor();
    expect(
      demo
        .of("red one")
        .reached()
        .filter(({ key }) => key !== undefined),
    ).toEqual([]);
  });

  it("several selected rows are asked about once, each by its name, and stopped together", async () => {
    const { page } = workbench;
    await view.press("red one", "Escape");
    await view.press("azure one", "Control+Shift+Enter");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Delete");
    await dialogOf(page).waitFor();
    const question = await dialogOf(page).innerText();
    expect(question).toContain("azure one");
    expect(question).toContain("green one");
    await answer(page, "Stop 2 Sessions");
    await expect.poll(() => lives("blue one") || lives("green one")).toBe(false);
    expect(lives("red one")).toBe(true);
  });

  it("the next one that needs you is gone to from anywhere", async () => {
    const { page } = workbench;
    await runCommand(page, "Session Warden: Next Session That Needs You");
    await page.locator(".xterm").first().waitFor();
  });

  it("and nothing of it made the editor complain", () => {
    expect(workbench.complaints).toEqual([]);
  });

  async function filter(words: string): Promise<void> {
    const { page } = workbench;
    await runCommand(page, "Session Warden: Filter…");
    await answerInput(page, /^Filter sessions/, words);
  }
});
