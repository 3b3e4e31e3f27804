import { afterAll, beforeAll, expect, it } from "vitest";
import { openSessionsView } from "./support/sessionsView.ts";
import type { Workbench } from "./support/workbench.ts";
import { openWorkbench } from "./support/workbench.ts";

let workbench: Workbench;
beforeAll(async () => {
  workbench = await openWorkbench({ sessions: [] });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it("a click on the icon at the edge opens the view", async () => {
  await openSessionsView(workbench.page);
  await expect.poll(() => workbench.page.getByRole("heading", { name: "Sessions" }).count()).toBeGreaterThan(0);
});
