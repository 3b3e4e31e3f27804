import { execFileSync } from "node:child_process";

/** What a script prints, as JSON, that is held to the modes of files as anybody is: also where the tests are run by root. */
export function runHeld(...script: readonly string[]): unknown {
  const command: readonly string[] = process.getuid?.() === 0 ? [...withoutItsPowers, process.execPath, ...script] : [process.execPath, ...script];
  const [file = "", ...args] = command;
  return JSON.parse(execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
}

const withoutItsPowers = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"];
