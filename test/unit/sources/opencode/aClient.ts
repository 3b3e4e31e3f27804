import { onTestFinished } from "vitest";
import type { Client, Deadlines } from "../../../../src/sources/opencode/client.ts";
import { probe } from "../../../../src/sources/opencode/client.ts";
import type { FakeServer } from "../../../support/fakeServer.ts";
import { fakeOpencode, webPage } from "../../../support/fakeServer.ts";

export const untouched = new AbortController().signal;

interface Asked {
  readonly client: Client;
  readonly server: FakeServer;
}

/** A client of a 1.x server that answers so, until the test is over. */
export async function classic(answers: Readonly<{ [call: string]: unknown }> = {}, deadlines?: Deadlines): Promise<Asked> {
  const server = await fakeOpencode(answers);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const probed = await probe(server.origin, undefined, untouched, deadlines);
  if (probed.kind !== "server") throw new Error(probed.kind);
  return { client: probed.client, server };
}

/** The same of a 2.x server. */
export async function service(answers: Readonly<{ [call: string]: unknown }> = {}): Promise<Asked> {
  return classic({ "GET /global/health": webPage, "GET /api/info": { version: "2.0.1", pid: 4711 }, ...answers });
}

export const session = (id: string, more: object = {}) => ({ id, directory: "/srv/api", title: "migrate", time: { created: 1, updated: 2 }, ...more });

export const pathsOf = (server: FakeServer) => server.requests.map(({ method, url }) => `${method} ${url}`);

/** What was sent beside the probe and the question what is declared. */
export const calledOf = (server: FakeServer) => pathsOf(server).filter((path) => !/^GET \/(?:global\/health|doc|api\/info)$/.test(path));
