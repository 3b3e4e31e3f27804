import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stateFolder } from "../compose.ts";
import { parseSettings } from "../settings.ts";
import type { Settings } from "../settings.ts";

/** Flag > environment > the file that the editor writes > default. */
export async function readSettings(flags: { readonly tmuxSocket?: readonly string[] }): Promise<Settings> {
  const inFile = parseSettings(parse(await readFile(join(stateFolder, "settings.json"), "utf8").catch(() => undefined)));
  const inEnvironment = process.env["SESSION_WARDEN_TMUX_SOCKETS"]?.split(":").filter(Boolean);
  return { ...inFile, tmuxSockets: flags.tmuxSocket ?? inEnvironment ?? inFile.tmuxSockets };
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
