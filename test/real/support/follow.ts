import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Lab } from "./lab.ts";
import type { OpencodeServer } from "./opencodeServer.ts";
import { until } from "./until.ts";

export interface LiveRow {
  readonly key: string;
  readonly status: string;
  readonly why: string;
  readonly asks?: string;
}

/** What the editor's core lists, each time that it has looked. It ends with the lab. */
export interface Followed {
  readonly looks: readonly { readonly at: number; readonly rows: readonly LiveRow[] }[];
}

/** Resolves when it has looked for the first time. */
export async function followAsEditor(lab: Lab): Promise<Followed> {
  const child = spawn(process.execPath, [script], { env: lab.env, cwd: lab.root, stdio: ["ignore", "pipe", "pipe"] });
  const looks: Followed["looks"][number][] = [];
  let said = "";
  createInterface(child.stdout).on("line", (line) => looks.push(JSON.parse(line) as Followed["looks"][number]));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await until(
    () => looks.length > 0,
    20_000,
    () => said,
  );
  return { looks };
}
const script = fileURLToPath(new URL("followAsEditor.ts", import.meta.url));

export interface ServerEvent {
  readonly at: number;
  readonly type: string;
  /** Not of those that only repeat another. */
  readonly properties?: { readonly sessionID?: string; readonly status?: { readonly type: string } };
}

/** The server's own events, and when they came. Resolves when it is connected. */
export async function eventsOf(server: OpencodeServer): Promise<readonly ServerEvent[]> {
  const events: ServerEvent[] = [];
  const { body } = await fetch(`${server.url}/global/event`);
  if (!body) throw new Error("The server sends no events");
  createInterface(Readable.fromWeb(body))
    .on("line", (line) => {
      if (!line.startsWith("data: ")) return;
      const { payload } = JSON.parse(line.slice("data: ".length)) as { readonly payload: Omit<ServerEvent, "at"> };
      events.push({ ...payload, at: Date.now() });
    })
    // The server has ended.
    .on("error", () => {});
  await until(() => events.length > 0);
  return events;
}
