import type { Locator, Page } from "playwright-core";
import type { Picture } from "./picture.ts";
import { nameOf, pictureOf } from "./picture.ts";

/** The view of sessions in the side bar, read by its roles and used by mouse and keyboard. */
export interface SessionsView {
  readonly tree: Locator;
  row(name: string): Locator;
  picture(): Promise<Picture>;
  /** By keys alone: the row that has the focus afterwards is the one named. */
  focus(name: string): Promise<void>;
  /** Presses a key on the named row, as a person would who has walked there by arrows. */
  press(name: string, key: string): Promise<void>;
  /** The words of the named row's menu, which stays open. */
  openMenu(name: string): Promise<readonly string[]>;
  chooseFromMenu(name: string, item: string): Promise<void>;
}

export async function openSessionsView(page: Page): Promise<SessionsView> {
  const icon = page.getByRole("tab", { name: "Agent Sessions" });
  await icon.waitFor({ timeout: 60_000 });
  if ((await icon.getAttribute("aria-expanded")) !== "true") await icon.click();
  const tree = page.getByRole("tree", { name: "Sessions" });
  const row: SessionsView["row"] = (name) => tree.getByRole("treeitem", { name: startingWith(name) });

  const focus: SessionsView["focus"] = async (name) => {
    await row(name).waitFor();
    await tree.focus();
    await page.keyboard.press("Home");
    const rows = await tree.getByRole("treeitem").count();
    for (let at = 0; at < rows; at++) {
      if ((await focusedName(page, tree)) === name) return;
      await page.keyboard.press("ArrowDown");
    }
    throw new Error(`No arrow leads to the row ${name}.`);
  };
  // A menu of a row lies above everything; the window's own menu is another one. An item's text ends with its key.
  const items = page.locator(".context-view").getByRole("menuitem");
  const openMenu: SessionsView["openMenu"] = async (name) => {
    await row(name).click({ button: "right" });
    await items.first().waitFor();
    return (await items.allInnerTexts()).map((text) => text.split("\n")[0] ?? "");
  };
  return {
    tree,
    row,
    focus,
    openMenu,
    picture: async () => pictureOf(await rowsOf(tree)),
    press: async (name, key) => {
      await focus(name);
      await page.keyboard.press(key);
    },
    chooseFromMenu: async (name, item) => {
      await openMenu(name);
      // A button released at once is taken for the end of the click that opened the menu.
      await items.filter({ has: page.getByText(item, { exact: true }) }).click({ delay: 200 });
    },
  };
}

/** An accessible name begins with what the row is called; after a comma it says more. */
function startingWith(name: string): RegExp {
  return new RegExp(`^${name.replaceAll(/[^\w ]/g, "\\$&")}(,|$)`);
}

async function rowsOf(tree: Locator): Promise<Parameters<typeof pictureOf>[0]> {
  const rows = await tree.getByRole("treeitem").evaluateAll((elements) =>
    elements.map((element) => ({
      spoken: element.getAttribute("aria-label") ?? "",
      level: Number(element.getAttribute("aria-level")),
      top: element.getBoundingClientRect().top,
    })),
  );
  // A list draws its rows in any order; where they stand is what one sees.
  return rows.toSorted((a, b) => a.top - b.top);
}

async function focusedName(page: Page, tree: Locator): Promise<string | undefined> {
  const id = await tree.getAttribute("aria-activedescendant");
  return id === null ? undefined : nameOf((await page.locator(`[id="${id}"]`).getAttribute("aria-label")) ?? "");
}
