import { homedir } from "node:os";
import { join } from "node:path";

export function configHomeOf(environment: ReadonlyMap<string, string>): string | undefined {
  const home = environment.get("HOME");
  return environment.get("COPILOT_HOME") || (home ? join(home, ".copilot") : undefined);
}

export function defaultHome(): string {
  return join(homedir(), ".copilot");
}
