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
  const input = inputOf(page);
  await input.fill(`>${title}`);
  await page.getByRole("option", { name: title }).first().waitFor();
  await page.keyboard.press("Enter");
}

/** Answers what VS Code asks for at the top of the window. */
export async function answerInput(page: Page, asked: RegExp, words: string): Promise<void> {
  await page.locator(".quick-input-widget").getByText(asked).waitFor();
  await inputOf(page).fill(words);
  await page.keyboard.press("Enter");
}

/** As `answerInput`, where what is typed is not shown. */
export async function answerPassword(page: Page, asked: RegExp, words: string): Promise<void> {
  await page.locator(".quick-input-widget").getByText(asked).waitFor();
  await page.locator(".quick-input-widget input[type=password]:visible").fill(words);
  await page.keyboard.press("Enter");
}

function inputOf(page: Page): Locator {
  return page.locator(".quick-input-widget input[type=text]:visible").first();
}
