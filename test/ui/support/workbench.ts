import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Demo } from "../../../scripts/demo/demo.ts";
import { startDemo } from "../../../scripts/demo/demo.ts";
import type { DemoSession } from "../../../scripts/demo/sessions.ts";
import { markName } from "../../../scripts/ownProcesses.ts";
import { makePrivatePlace } from "../../../scripts/privatePlace.ts";
import { openPage } from "../../../scripts/webHost/page.ts";
import { installExtension } from "../../../scripts/webHost/install.ts";
import type { WebHost } from "../../../scripts/webHost/server.ts";
import { startWebHost, urlOf } from "../../../scripts/webHost/server.ts";

/** VS Code with the extension, on a private place with stand-ins. Its end ends all of them. */
export interface Workbench extends AsyncDisposable {
  readonly page: Page;
  readonly host: WebHost;
  readonly demo: Demo;
  readonly workspace: string;
  /** What the editor has complained of that names the extension. */
  readonly complaints: readonly string[];
  /** Loads the page afresh, as for other settings. */
  readonly reload: () => Promise<void>;
}

/** For who wants to tell what they show when something fails. */
export const openWorkbenches = new Set<Workbench>();

export async function openWorkbench({
  sessions,
  settings = {},
}: {
  readonly sessions: readonly DemoSession[];
  readonly settings?: Readonly<Record<string, unknown>>;
}): Promise<Workbench> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(makePrivatePlace());
  const mark = `ui-${process.pid}-${Date.now()}`;
  const env = { ...place.env, [markName]: mark };
  // The host's end is the end of all that carries the mark; it is there before the first session is.
  const extensionsFolder = join(place.folder, "extensions");
  installExtension(extensionsFolder);
  const host = stack.use(await startWebHost({ dataFolder: join(place.folder, "data"), extensionsFolder, settings, env }));
  const demo = await startDemo(place, env, sessions);
  const { page } = stack.use(await openPage());
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && /session.?warden/i.test(message.text())) complaints.push(message.text());
  });
  const reload = async (): Promise<void> => {
    await page.goto(urlOf(host, place.workspace));
    await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
  };
  await reload();
  const all = stack.move();
  const workbench: Workbench = { page, host, demo, workspace: place.workspace, complaints, reload, [Symbol.asyncDispose]: () => all.disposeAsync() };
  openWorkbenches.add(workbench);
  all.defer(() => void openWorkbenches.delete(workbench));
  return workbench;
}
