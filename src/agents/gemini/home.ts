import { homedir } from "node:os";
import { join } from "node:path";

export function configHomeOf(environment: ReadonlyMap<string, string>): string | undefined {
  const home = environment.get("GEMINI_CLI_HOME") || environment.get("HOME");
  return home ? join(home, ".gemini") : undefined;
}

export function defaultHome(): string {
  return join(homedir(), ".gemini");
}
