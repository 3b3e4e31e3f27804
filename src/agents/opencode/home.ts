import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Command } from "../../core/agent.ts";
import { environmentFor, inherited, isSamePlace } from "../elsewhere.ts";

export function configHomeOf(environment: ReadonlyMap<string, string>): string | undefined {
  const home = environment.get("HOME");
  const shared = environment.get("XDG_DATA_HOME") || (home ? join(home, ".local", "share") : undefined);
  return shared && join(shared, "opencode");
}

export function defaultHome(): string {
  return join(homedir(), ".local", "share", "opencode");
}

/** For a program of OpenCode's that we start, toward that home. */
export async function environmentIn(home: string | undefined): Promise<Pick<Command, "env">> {
  const value = home !== undefined && basename(home) === "opencode" ? dirname(home) : undefined;
  const told = await environmentFor(home, { configHomeOf, variable: "XDG_DATA_HOME", value });
  return told.env && inherited().has("OPENCODE_DB") ? { env: { ...told.env, OPENCODE_DB: undefined } } : told;
}

/** Where its database is, as an OpenCode that we start would have it; undefined where it is kept in memory. What our environment names is of its own home. */
export async function databaseIn(home: string): Promise<string | undefined> {
  const ours = inherited();
  const told = ((await isSamePlace(home, configHomeOf(ours))) && ours.get("OPENCODE_DB")) || "opencode.db";
  if (told === ":memory:") return undefined;
  return isAbsolute(told) ? told : join(home, told);
}

/** Where its window keeps what was typed; undefined where nothing tells. */
export async function stateFolderIn(home: string): Promise<string | undefined> {
  const ours = inherited();
  if (await isSamePlace(home, configHomeOf(ours)))
    return join(ours.get("XDG_STATE_HOME") || join(ours.get("HOME") ?? homedir(), ".local", "state"), "opencode");
  return home.endsWith("/.local/share/opencode") ? join(home, "../../state/opencode") : undefined;
}

export const idPattern = /^ses_[0-9A-Za-z]+$/;
