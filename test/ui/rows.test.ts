import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoSessions } from "../../scripts/demo/sessions.ts";
import type { Picture } from "./support/picture.ts";
import { onlyOf } from "./support/picture.ts";
import type { SessionsView } from "./support/sessionsView.ts";
import { openSessionsView } from "./support/sessionsView.ts";
import type { Workbench } from "./support/workbench.ts";
import { openWorkbench } from "./support/workbench.ts";

const names = demoSessions.map(({ subject, shownAs = subject }) => shownAs);

describe("agents in tmux and in a plain terminal, with nothing set", () => {
  let workbench: Workbench;
  let view: SessionsView;
  beforeAll(async () => {
    workbench = await openWorkbench({ sessions: demoSessions });
    view = await openSessionsView(workbench.page);
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  it("are rows by what each is at, the one that waits for an approval on top", async () => {
    await expect
      .poll(async () => inAnyOrder(onlyOf(names, await view.picture())))
      .toEqual([
        ["Needs you", ["rate limit for the login form"]],
        ["Working", ["docs for the parser", "migrate the schema"]],
        ["Open", ["gemini in site", "hunt the flaky test", "sketch the landing page", "tidy the release notes", "watch the nightly build"]],
      ]);
  });

  it("say to a screen reader what they are, and why", async () => {
    const spoken = await view.row("rate limit for the login form").getAttribute("aria-label");
    expect(spoken).toMatch(/^rate limit for the login form, Claude Code, needs input, .*permission prompt/);
  });

  it("a killed one is exited by itself, and its process is named", async () => {
    await workbench.demo.letDie(AbortSignal.timeout(10_000));
    await expect.poll(async () => onlyOf(["hunt the flaky test"], await view.picture())).toEqual([["Exited", ["hunt the flaky test"]]]);
    const { pid } = workbench.demo.of("hunt the flaky test").process;
    expect(await view.row("hunt the flaky test").getAttribute("aria-label")).toContain(`process ${pid} is gone`);
  });

  it("have a menu that goes from harmless to destructive", async () => {
    expect(await view.openMenu("tidy the release notes")).toEqual(["Go to", "Peek", "Stop", "Copy", "Rename…", "Force Terminate…"]);
    await workbench.page.keyboard.press("Escape");
  });
});

/** Groups stand in their one order; within one, sessions that were started at once may stand in any. */
function inAnyOrder(picture: Picture): Picture {
  return picture.map((entry) => (typeof entry === "string" ? entry : [entry[0], entry[1].toSorted((a, b) => String(a).localeCompare(String(b)))]));
}
