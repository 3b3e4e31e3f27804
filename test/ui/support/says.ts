import type { Locator, Page } from "playwright-core";

/** A question that has to be answered before anything else; a notification is a dialog too, but not a modal one. */
export function dialogOf(page: Page): Locator {
  return page.locator("[role=dialog][aria-modal=true]");
}

export async function answer(page: Page, button: string): Promise<void> {
  await dialogOf(page).getByRole("button", { name: button, exact: true }).click();
}

/** What VS Code tells at the lower right. */
export function toastOf(page: Page, text: string | RegExp): Locator {
  return page.locator(".notifications-toasts").getByText(text);
}

/** By the palette, as from the keyboard. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input").first();
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.getByRole("option", { name: title }).first().waitFor();
  await page.keyboard.press("Enter");
}
