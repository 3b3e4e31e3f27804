import { appendFileSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { key, screen, type, untilScreen } from "../panes.ts";
import { findProcess } from "../processes.ts";
import type { ProcessIdentity } from "../processes.ts";
import { until } from "../until.ts";
import { configure, hasArgument, launch, readJson } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";

/** Resolves when Codex's composer is open, with its thread begun in the daemon. */
export async function startCodex(lab: Lab, start: Start): Promise<Agent> {
  const cwd = start.cwd ?? lab.work;
  configureCodex(lab, cwd);
  const agent = await launch(lab, "codex", start, (found) => found.comm === "codex" && !hasArgument(found, "app-server"));
  // The line with the model comes when the app server has answered; a prompt sent before waits for it.
  await untilScreen(agent.pane, "fake-model default");
  await untilTaken(agent);
  return agent;
}

/** On a busy machine what is typed as the composer opens is lost: a sign is typed until it shows, and taken back. */
async function untilTaken({ pane }: Agent): Promise<void> {
  let typedAt = 0;
  await until(() => {
    if (screen(pane).includes("› ~")) return true;
    if (Date.now() - typedAt > 1_000) type(pane, "~");
    else return false;
    typedAt = Date.now();
    return false;
  });
  await until(() => {
    if (screen(pane).includes("› Ask Codex")) return true;
    key(pane, "BSpace");
    return false;
  });
}

/** The daemon that runs this lab's turns, by its own pid file; undefined before the first Codex has started it. */
export function findCodexDaemon(lab: Lab): ProcessIdentity | undefined {
  const path = join(lab.home, ".codex/app-server-daemon/daemon.pid");
  if (!existsSync(path)) return undefined;
  const { pid } = readJson(path) as { readonly pid: number };
  return findProcess(pid);
}

function configureCodex(lab: Lab, cwd: string): void {
  const path = join(lab.home, ".codex/config.toml");
  configure(
    path,
    `model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "${lab.model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
`,
  );
  const trust = `\n[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`;
  if (!readFileSync(path, "utf8").includes(trust)) appendFileSync(path, trust);
}

/** The thread whose file on disk was begun last, by the file's own name. */
export function lastCodexThread(lab: Lab): string | undefined {
  return threadFiles(lab).at(-1)?.id;
}

/** Whether the thread's own file says that its last turn was ended before its answer. */
export function isCodexTurnAborted(lab: Lab, threadId: string | null): boolean {
  const file = threadFiles(lab).find(({ id }) => id === threadId);
  const turns = file && readFileSync(file.path, "utf8").match(/"type":"(task_started|task_complete|turn_aborted)"/g);
  return turns?.at(-1) === '"type":"turn_aborted"';
}

/** The last begun last: an id, a UUID of version 7, begins with the moment it was made. */
function threadFiles(lab: Lab): readonly { readonly id: string; readonly path: string }[] {
  const folder = join(lab.home, ".codex/sessions");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .flatMap((name) => {
      const id = /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1];
      return id === undefined ? [] : [{ id, path: join(folder, name) }];
    })
    .toSorted((a, b) => a.id.localeCompare(b.id));
}
