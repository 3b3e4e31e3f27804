import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { demoSessions } from "../../scripts/demo/sessions.ts";
import { openSessionsView } from "./support/sessionsView.ts";
import type { Workbench } from "./support/workbench.ts";
import { openWorkbench } from "./support/workbench.ts";

// In media/ only when asked: pictures differ a little each time, and a test run leaves nothing to commit.
const folder = join(import.meta.dirname, "../..", process.env["SCREENSHOTS"] ? "media" : ".results/screenshots");
mkdirSync(folder, { recursive: true });

describe("the view", () => {
  let workbench: Workbench;
  beforeAll(async () => {
    workbench = await openWorkbench({ sessions: demoSessions });
    await workbench.page.setViewportSize({ width: 960, height: 540 });
    await openSessionsView(workbench.page);
    await workbench.demo.letDie(AbortSignal.timeout(20_000));
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  it.each([
    { file: "light", theme: "Default Light Modern", className: "vs" },
    { file: "dark", theme: "Default Dark Modern", className: "vs-dark" },
    { file: "high-contrast", theme: "Default High Contrast", className: "hc-black" },
  ])("can be read in the theme $theme", async ({ file, theme, className }) => {
    const { page, host, reload } = workbench;
    host.set({ "workbench.colorTheme": theme });
    await reload();
    const view = await openSessionsView(page);
    await view.row("rate limit for the login form").waitFor();
    await page.locator(`.monaco-workbench.${className}`).waitFor();
    await dragSideBarTo(520, workbench);
    await picture(page, file);
  });

  it("fits into 220 pixels without a scroll bar", async () => {
    const { page, host, reload } = workbench;
    host.set({});
    await reload();
    const view = await openSessionsView(page);
    await view.row("rate limit for the login form").waitFor();
    await dragSideBarTo(220, workbench);
    const box = await view.tree.boundingBox();
    expect(box?.width).toBeLessThanOrEqual(220);
    expect(await view.row("rate limit for the login form").evaluate((row) => row.scrollWidth <= row.clientWidth)).toBe(true);
    await picture(page, "narrow", 280);
  });
});

async function picture(page: Page, name: string, width = 960): Promise<void> {
  // Away from everything that would show a hint.
  await page.mouse.move(940, 200);
  await page.getByRole("tooltip").waitFor({ state: "detached" });
  await vi.waitUntil(async () => (await page.locator(".monaco-sash.hover, .monaco-sash.active").count()) === 0, { timeout: 5_000 });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled", clip: { x: 0, y: 0, width, height: 540 } });
}

async function dragSideBarTo(width: number, { page }: Workbench): Promise<void> {
  const sideBar = page.locator(".part.sidebar");
  const box = await sideBar.boundingBox();
  if (!box) throw new Error("There is no side bar.");
  const [edge, middle] = [box.x + box.width + 1, box.y + box.height / 2];
  await page.mouse.move(edge, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + width, middle, { steps: 5 });
  await page.mouse.up();
  await vi.waitUntil(async () => Math.abs(((await sideBar.boundingBox())?.width ?? 0) - width) < 8, { timeout: 5_000 });
}
