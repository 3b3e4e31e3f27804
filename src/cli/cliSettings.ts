import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { stateFolder } from "../compose.ts";
import { parseSettings } from "../settings.ts";
import type { Settings } from "../settings.ts";

export interface Flags {
  readonly tmuxSocket?: readonly string[];
  readonly tmuxProgram?: string;
  readonly configHome?: readonly string[];
  readonly registry?: string;
  readonly serverUrl?: string;
  readonly repo?: string;
  /** Of repositories that one only, and none of the settings'. */
  readonly isAlone?: boolean;
  readonly trackingEnv?: string;
  readonly trackingDetails?: string;
}

/** Flag > environment > the file that the editor writes > default. */
export async function readSettings(flags: Flags): Promise<Settings> {
  const inFile = parseSettings(parse(await readFile(join(stateFolder, "settings.json"), "utf8").catch(() => undefined)));
  return {
    ...inFile,
    tmuxProgram: flags.tmuxProgram ?? process.env["SESSION_WARDEN_TMUX_PROGRAM"] ?? inFile.tmuxProgram,
    tmuxSockets: flags.tmuxSocket ?? listIn("SESSION_WARDEN_TMUX_SOCKETS") ?? inFile.tmuxSockets,
    muxRegistry: flags.registry ?? process.env["AGENT_SESSIONS_YAML"] ?? inFile.muxRegistry,
    opencodeServers: [...inFile.opencodeServers, ...(flags.serverUrl === undefined ? [] : [flags.serverUrl])],
    entireRepositories: flags.isAlone ? [] : inFile.entireRepositories,
    trackingEnv: flags.trackingEnv ?? inFile.trackingEnv,
    trackingDetails: flags.trackingDetails ?? inFile.trackingDetails,
    configHomes: flags.configHome ?? listIn("SESSION_WARDEN_CONFIG_HOMES") ?? inFile.configHomes,
  };
}

/** Separated like PATH. */
function listIn(variable: string): readonly string[] | undefined {
  return process.env[variable]?.split(delimiter).filter(Boolean);
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
