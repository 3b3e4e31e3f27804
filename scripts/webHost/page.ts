import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { findChromium } from "./chromium.ts";

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
}

/** A Chromium of its own, without a window, that talks to nobody but the page's server. */
export async function openPage(size: { readonly width: number; readonly height: number } = { width: 1280, height: 800 }): Promise<OpenPage> {
  const browser = await launch();
  const page = await browser.newPage({ viewport: size });
  return { page, [Symbol.asyncDispose]: () => browser.close() };
}

async function launch(): Promise<Browser> {
  const executablePath = await findChromium();
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  // Chromium's own sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return await chromium.launch({ executablePath, args: ["--disable-gpu", ...quiet, ...sandbox] });
}
