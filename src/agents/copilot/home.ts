import { homedir } from "node:os";
import { join } from "node:path";

export function defaultHome(): string {
  return join(homedir(), ".copilot");
}
