import { afterAll, beforeAll, expect, it } from "vitest";
import { openSessionsView } from "./support/sessionsView.ts";
import type { Workbench } from "./support/workbench.ts";
import { openWorkbench } from "./support/workbench.ts";

let workbench: Workbench;
beforeAll(async () => {
  workbench = await openWorkbench({ sessions: [{ agent: "claude", mode: "waiting", subject: "one in tmux", project: "app", in: { tmux: "somewhere" } }] });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it("a click on a session in tmux attaches to it in a terminal, and types nothing", async () => {
  const { page, demo } = workbench;
  const view = await openSessionsView(page);
  await view.row("one in tmux").click();
  // tmux draws the pane again for who attaches; xterm's rows are there for screen readers too.
  await page.locator(".terminal-wrapper").first().waitFor();
  await expect.poll(() => page.getByRole("tab", { name: "Terminal" }).getAttribute("aria-selected")).toBe("true");
  await expect.poll(() => page.locator(".xterm").first().isVisible()).toBe(true);
  expect(
    demo
      .of("one in tmux")
      .reached()
      .filter(({ key }) => key !== undefined),
  ).toEqual([]);
});
