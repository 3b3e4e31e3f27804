import { execFileSync } from "node:child_process";

/** A pipe with a name, from which nobody reads and to which nobody writes: Node has no call for it. */
export function makePipe(path: string): void {
  execFileSync(program, [path]);
}
const program = "mkfifo";
