import { spawn } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { configureOpencode, offline } from "./agents/opencode.ts";
import type { Lab } from "./lab.ts";
import { identityOf, signal, untilGone } from "./processes.ts";
import type { ProcessIdentity } from "./processes.ts";
import { until } from "./until.ts";

/** A real `opencode serve` of a lab, spoken to by its own API: what the product says is checked against this. It ends with the lab, if not before. */
export interface OpencodeServer {
  readonly lab: Lab;
  readonly url: string;
  readonly process: ProcessIdentity;
  /** Where it was started: the directory of what names none. */
  readonly folder: string;
  /** Makes a session; in another folder than the server's own, that one is opened by it. */
  session(title: string, options?: NewSession): Promise<string>;
  /** Resolves when the prompt is taken, which may be before the session is busy. */
  prompt(id: string, text: string): Promise<void>;
  /** As `prompt`, and resolves when the model has been asked. */
  ask(id: string, text: string): Promise<void>;
  /** A session with a run of the second engine, which the classic calls neither see nor stop. */
  askSecondEngine(text: string): Promise<string>;
  /** What the first engine runs in one folder of this server: what is idle is absent. */
  status(folder?: string): Promise<Readonly<Record<string, { readonly type: string }>>>;
  /** Ids of what the second engine runs, in any folder of this server. */
  active(): Promise<readonly string[]>;
  /** What every opencode of this lab has in its shared database. */
  everySession(): Promise<readonly SessionInfo[]>;
  /** The id's own answer: asking opens the session's folder. */
  find(id: string): Promise<Told>;
  call(method: string, path: string, body?: object): Promise<Told>;
  /** Ends it as a person does with ctrl-c, which is not graceful. */
  end(name?: NodeJS.Signals): Promise<void>;
}

export interface NewSession {
  readonly folder?: string;
  readonly parent?: string;
  /** It asks before it runs a command. */
  readonly isAsking?: boolean;
}

export interface SessionInfo {
  readonly id: string;
  readonly title: string;
  readonly directory: string;
  readonly parentID?: string;
  readonly time: { readonly archived?: number };
}

export interface Told {
  readonly status: number;
  readonly body: unknown;
}

interface StartServer {
  readonly folder: string;
  readonly port?: number;
  readonly password?: string;
  readonly args?: readonly string[];
  readonly env?: Lab["env"];
}

/** Resolves when it listens: a request sent before that would never be answered. */
export async function startServer(lab: Lab, { folder, port, password, args = [], env = {} }: StartServer): Promise<OpencodeServer> {
  configureOpencode(lab);
  const chosen = port ?? (await findFreePort());
  const locked: Lab["env"] = password === undefined ? {} : { OPENCODE_SERVER_PASSWORD: password };
  const child = spawn("opencode", ["serve", "--hostname", "127.0.0.1", "--port", String(chosen), ...args], {
    cwd: folder,
    env: { ...lab.env, ...offline, ...locked, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.on("error", (error) => (said += String(error)));
  await until(
    () => said.includes("opencode server listening on"),
    60_000,
    () => `The server said: ${said}`,
  );
  return serverAt({ lab, url: `http://127.0.0.1:${chosen}`, process: identityOf(child.pid ?? 0), folder }, password);
}

function serverAt(place: Pick<OpencodeServer, "lab" | "url" | "process" | "folder">, password: string | undefined): OpencodeServer {
  const { lab, url, folder } = place;
  const call: OpencodeServer["call"] = (method, path, body) => request(method, `${url}${path}`, body, password);
  const expectOk = async (method: string, path: string, body?: object): Promise<unknown> => {
    const told = await call(method, path, body);
    if (told.status < 300) return told.body;
    throw new Error(`${method} ${path} was answered ${told.status}: ${JSON.stringify(told.body)}`);
  };
  const prompt: OpencodeServer["prompt"] = async (id, text) =>
    void (await expectOk("POST", `/session/${id}/prompt_async`, { parts: [{ type: "text", text }] }));
  return {
    ...place,
    async session(title, { folder: where = folder, parent, isAsking = false } = {}) {
      const permission = isAsking ? { permission: [{ permission: "bash", pattern: "*", action: "ask" }] } : {};
      const made = await expectOk("POST", `/session?${inFolder(where)}`, { title, ...(parent && { parentID: parent }), ...permission });
      return (made as SessionInfo).id;
    },
    prompt,
    async ask(id, text) {
      const before = lab.model.requests.length;
      await prompt(id, text);
      await untilAsked(lab, before, text);
    },
    async askSecondEngine(text) {
      const location = { directory: folder };
      // It starts without the configured models, and then would ask another one, or none.
      await until(async () => JSON.stringify((await call("GET", `/api/model?location[directory]=${encodeURIComponent(folder)}`)).body).includes("fake-model"));
      const made = (await expectOk("POST", "/api/session", { model: { id: "fake-model", providerID: "fake" }, location })) as {
        readonly data: { readonly id: string };
      };
      const before = lab.model.requests.length;
      await expectOk("POST", `/api/session/${made.data.id}/prompt`, { prompt: { text } });
      await untilAsked(lab, before, text);
      return made.data.id;
    },
    status: async (where = folder) => (await expectOk("GET", `/session/status?${inFolder(where)}`)) as Awaited<ReturnType<OpencodeServer["status"]>>,
    active: async () => Object.keys(((await expectOk("GET", "/api/session/active")) as { readonly data: object }).data),
    everySession: async () => (await expectOk("GET", "/experimental/session?archived=true&limit=1000")) as readonly SessionInfo[],
    find: (id) => call("GET", `/session/${id}`),
    call,
    async end(name = "SIGTERM") {
      signal(place.process, name);
      await untilGone([place.process]);
    },
  };
}

async function untilAsked({ model }: Lab, before: number, text: string): Promise<void> {
  await until(
    () => model.requests.slice(before).some((request) => request.tools.length > 0 && request.userText.includes(text)),
    60_000,
    () => `The model was not asked ${text}`,
  );
}

/** On a connection of its own: one that a server never answers is not used again. */
async function request(method: string, url: string, body: object | undefined, password: string | undefined): Promise<Told> {
  const headers = new Headers({ connection: "close" });
  if (body !== undefined) headers.set("content-type", "application/json");
  if (password !== undefined) headers.set("authorization", `Basic ${btoa(`opencode:${password}`)}`);
  const response = await fetch(url, { method, headers, signal: AbortSignal.timeout(45_000), ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: response.headers.get("content-type")?.startsWith("application/json") ? (JSON.parse(text) as unknown) : text };
}

export function inFolder(folder: string): string {
  return `directory=${encodeURIComponent(folder)}`;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
