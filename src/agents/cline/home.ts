import { homedir } from "node:os";
import { join } from "node:path";

/** How its conversations are called: when they began, and five letters. Sub-agents append to that: `ID__agent`. */
export const idPattern = /^\d{13}_[0-9a-z]{5}$/;

export function dataFolderOf(environment: ReadonlyMap<string, string>): string | undefined {
  const home = environment.get("HOME");
  const folder = environment.get("CLINE_DIR") || (home ? join(home, ".cline") : undefined);
  return environment.get("CLINE_DATA_DIR") || (folder && join(folder, "data"));
}

export function defaultFolder(): string {
  return join(homedir(), ".cline", "data");
}

/** Whether an id is the conversation's or that of a sub-agent in it. */
export function isOf(id: string, named: string): boolean {
  return named === id || named.startsWith(`${id}__`);
}
