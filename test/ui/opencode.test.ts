import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeOpencode } from "../support/fakeOpencode.ts";
import { startFakeOpencode } from "../support/fakeOpencode.ts";
import { onlyOf } from "./support/picture.ts";
import { answer, answerPassword, dialogOf, toastOf } from "./support/says.ts";
import type { SessionsView } from "./support/sessionsView.ts";
import { openSessionsView } from "./support/sessionsView.ts";
import type { Workbench } from "./support/workbench.ts";
import { openWorkbench } from "./support/workbench.ts";

const [root, child, today, lastWeek] = ["migrate the schema", "write its tests", "tidy the notes", "choose the typefaces"] as const;
const hourMs = 60 * 60 * 1000;

describe("an OpenCode server that is locked by a password", () => {
  let server: FakeOpencode;
  let workbench: Workbench;
  let view: SessionsView;
  beforeAll(async () => {
    server = await startFakeOpencode("/srv/app", { password: "pass: word" });
    server.add({ id: "ses_root", title: root, isBusy: true });
    server.add({ id: "ses_child", title: child, parent: "ses_root", isBusy: true });
    server.add({ id: "ses_today", title: today, touchedAt: Date.now() - hourMs });
    server.add({ id: "ses_last", title: lastWeek, touchedAt: Date.now() - 8 * 24 * hourMs });
    workbench = await openWorkbench({ sessions: [], settings: { "sessionWarden.opencode.servers": [server.origin] } });
    view = await openSessionsView(workbench.page);
  });
  afterAll(async () => {
    await workbench?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const notice = (): string => `Warning: ${server.origin}`;
  const picture = async (): Promise<unknown> => onlyOf([root, child, today, lastWeek], await view.picture());

  it("is a row that asks for it, and has been sent none", async () => {
    await view.row(notice()).waitFor();
    expect(await view.openMenu(notice())).toEqual(["Enter Password…"]);
    await workbench.page.keyboard.press("Escape");
    expect(server.logins).toEqual([]);
  });

  it("says when a password is wrong, and offers to enter another", async () => {
    const { page } = workbench;
    await view.chooseFromMenu(notice(), "Enter Password…");
    await answerPassword(page, /^Password of http:/, "wrong");
    await toastOf(page, /does not take the password/).waitFor();
    await page.locator(".notifications-toasts").getByRole("button", { name: "Enter Password…" }).click();
    await answerPassword(page, /^Password of http:/, "pass: word");
    await view.row(root).waitFor();
    expect(await view.row(notice()).count()).toBe(0);
  });

  it("shows sub-agents below the session that they work for, counted once", async () => {
    await expect.poll(picture).toEqual([["Working", [[root, [child]]]]]);
    await workbench.page.getByRole("button", { name: "Agent sessions: 1 working" }).waitFor();
  });

  it("keeps what was stopped days ago below one fold", async () => {
    await view.press("Stopped", "ArrowRight");
    await view.row(today).waitFor();
    expect(await view.row(lastWeek).count()).toBe(0);
    await view.press("Earlier", "ArrowRight");
    await expect.poll(picture).toEqual([
      ["Working", [[root, [child]]]],
      ["Stopped", [today, ["Earlier", [lastWeek]]]],
    ]);
  });

  it("asks through the root, shows tool and input first, and is answered by Allow, this once", async () => {
    const { page } = workbench;
    server.asks("ses_child", { id: "per_1", tool: "bash", command: "rm -rf build\nmake" });
    await expect.poll(picture).toContainEqual(["Needs you", [[root, [child]]]]);
    await view.chooseFromMenu(root, "Allow or Deny…");
    const question = await dialogOf(page).innerText();
    expect(question).toContain(`“${root}” asks to run bash`);
    expect(question).toContain("rm -rf build\nmake");
    expect(question).toContain(server.origin);
    expect(server.deeds).toEqual([]);
    await answer(page, "Allow");
    await expect.poll(() => server.deeds).toEqual(['POST /permission/per_1/reply {"reply":"once"}']);
    await expect.poll(picture).toContainEqual(["Working", [[root, [child]]]]);
  });

  it("has no key on a group, and Delete on a session with sub-agents stops their turn, not the session", async () => {
    const { page } = workbench;
    await view.press("Working", "Delete");
    await view.press(root, "Delete");
    expect(await dialogOf(page).innerText()).toContain(`Stop “${root}”?`);
    await answer(page, "Stop");
    await toastOf(page, /its turn is over, and the session stays/).waitFor();
    expect(server.deeds.filter((deed) => !deed.startsWith("POST /permission"))).toEqual(["POST /session/ses_root/abort", "POST /session/ses_child/abort"]);
  });

  it("loses a session by Clean Up alone, after a question that names both, and proved", async () => {
    const { page } = workbench;
    await view.chooseFromMenu(today, "Clean Up Session…");
    const question = await dialogOf(page).innerText();
    for (const words of [`Clean Up “${today}”?`, server.origin, "deleted on its server", "tracking files"]) expect(question).toContain(words);
    await answer(page, "Clean Up");
    await expect.poll(() => server.deeds.at(-1)).toBe("DELETE /session/ses_today");
    await expect.poll(() => view.row(today).count()).toBe(0);
  });

  it("and nothing of it made the editor complain", () => {
    expect(workbench.complaints).toEqual([]);
  });
});
