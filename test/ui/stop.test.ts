import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../scripts/ownProcesses.ts";
import type { DemoSession } from "../../scripts/demo/sessions.ts";
import { onlyOf } from "./support/picture.ts";
import { answer, dialogOf, toastOf } from "./support/says.ts";
import type { SessionsView } from "./support/sessionsView.ts";
import { openSessionsView } from "./support/sessionsView.ts";
import type { Workbench } from "./support/workbench.ts";
import { openWorkbench } from "./support/workbench.ts";

const claude = { agent: "claude", project: "app" } as const;
const sessions: readonly DemoSession[] = [
  { ...claude, mode: "open", subject: "an idle one", in: { tmux: "idle" } },
  { ...claude, mode: "open", subject: "its neighbour", in: { tmux: "idle-2" } },
  { ...claude, mode: "working", subject: "a busy one", in: { tmux: "busy" } },
  { ...claude, mode: "deaf", subject: "a deaf one", in: { tmux: "deaf" } },
];

const pictures = join(import.meta.dirname, "../../.results/screenshots");
mkdirSync(pictures, { recursive: true });

async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

describe("by the keyboard", () => {
  let workbench: Workbench;
  let view: SessionsView;
  beforeAll(async () => {
    workbench = await openWorkbench({ sessions });
    view = await openSessionsView(workbench.page);
    await view.row("a deaf one").waitFor();
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  const groupOf = async (subject: string): Promise<unknown> => onlyOf([subject], await view.picture())[0]?.[0];
  const lives = (subject: string): boolean => isAlive(workbench.demo.of(subject).process);
  const keysOf = (subject: string): readonly unknown[] =>
    workbench.demo
      .of(subject)
      .reached()
      .flatMap(({ key }) => key ?? []);

  it("Delete stops an idle session without a question, and its id is saved", async () => {
    const { id } = workbench.demo.of("an idle one");
    await view.press("an idle one", "Delete");
    await toastOf(workbench.page, id).waitFor();
    expect(lives("an idle one")).toBe(false);
    expect(keysOf("an idle one")).toEqual([]);
    expect(lives("its neighbour")).toBe(true);
  });

  it("what was stopped is purged from its menu: the question names it and what is deleted, and its plan is a page of its own", async () => {
    const { page, demo } = workbench;
    const { id } = demo.of("an idle one");
    await expect.poll(() => view.row("an idle one").count()).toBe(0);
    await view.press("Stopped", "ArrowRight");
    await view.row("an idle one").waitFor();
    await view.chooseFromMenu("an idle one", "Purge Conversation…");
    const question = await dialogOf(page).innerText();
    for (const words of ["Purge the conversation of “an idle one”?", "Claude Code", id, "Deleted for good, ", "transcript"]) expect(question).toContain(words);
    await picture(page, "purge");

    await answer(page, "Show Plan");
    await page.getByRole("tab", { name: /Purge plan an idle one/ }).waitFor();
    await expect.poll(() => page.locator(".editor-instance .view-lines").innerText()).toContain(`${id}.jsonl`);
    await picture(page, "purge-plan");
    await page.locator(".notifications-toasts").getByRole("button", { name: "Purge Conversation…" }).click();
    await answer(page, "Purge Conversation");
    await toastOf(page, /Purged the conversation of “an idle one”/).waitFor();
    await expect.poll(() => view.row("an idle one").count()).toBe(0);
  });

  it("Delete on one in the middle of a turn asks first, and Cancel leaves it alone", async () => {
    await view.press("a busy one", "Delete");
    await dialogOf(workbench.page).waitFor();
    expect(await dialogOf(workbench.page).innerText()).toContain("a busy one");
    await answer(workbench.page, "Cancel");
    await dialogOf(workbench.page).waitFor({ state: "detached" });
    expect(lives("a busy one")).toBe(true);
    expect(
      workbench.demo
        .of("a busy one")
        .reached()
        .filter(({ signal }) => signal !== undefined),
    ).toEqual([]);
  });

  it("one that hears no request is still running afterwards, and force ends it there", async () => {
    await view.press("a deaf one", "Delete");
    await toastOf(workbench.page, /still running/).waitFor({ timeout: 30_000 });
    expect(lives("a deaf one")).toBe(true);
    expect(await groupOf("a deaf one")).toBe("Open");

    await workbench.page.getByRole("button", { name: "Force Terminate" }).click();
    await dialogOf(workbench.page).waitFor();
    await answer(workbench.page, "Force Terminate");
    await expect.poll(() => lives("a deaf one"), { timeout: 20_000 }).toBe(false);
    await expect.poll(() => groupOf("a deaf one")).not.toBe("Open");
  });
});
