import { homedir } from "node:os";
import { join } from "node:path";
import { inherited } from "../elsewhere.ts";

export function configHomeOf(environment: ReadonlyMap<string, string>): string | undefined {
  const home = environment.get("HOME");
  return environment.get("CODEX_HOME") || (home ? join(home, ".codex") : undefined);
}

/** As a Codex that is started here would have it. */
export function usualHome(): string {
  return configHomeOf(inherited()) ?? join(homedir(), ".codex");
}
