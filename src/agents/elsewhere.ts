import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { Agent, Command } from "../core/agent.ts";

/** What an agent that we start inherits. */
export function inherited(): ReadonlyMap<string, string> {
  const told = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return new Map([["HOME", homedir()], ...told]);
}

/**
 * What its environment has to say otherwise, so that an agent that we start finds what lies in `home`: nothing where it looks there anyhow. Only by the
 * real path: Claude Code keeps its login elsewhere as soon as the variable is set, be it to the usual folder.
 */
export async function environmentFor(
  home: string | undefined,
  { configHomeOf, variable, value = home }: { readonly configHomeOf: Agent["configHomeOf"]; readonly variable: string; readonly value?: string | undefined },
): Promise<Pick<Command, "env">> {
  const ours = inherited();
  if (home === undefined || (await isSamePlace(home, configHomeOf(ours)))) return {};
  const without = new Map([...ours].filter(([name]) => name !== variable));
  if (await isSamePlace(home, configHomeOf(without))) return { env: { [variable]: undefined } };
  return value === undefined ? {} : { env: { [variable]: value } };
}

export async function isSamePlace(a: string, b: string | undefined): Promise<boolean> {
  return b !== undefined && (await realPathOf(a)) === (await realPathOf(b));
}

function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
