import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { endMarked, markName } from "../../scripts/ownProcesses.ts";
import { aFolder } from "./folder.ts";

export interface PrivateTmux extends AsyncDisposable {
  readonly socket: string;
  readonly folder: string;
  /** What tmux answers, without the last newline. */
  run(...command: readonly string[]): string;
  pid(): number;
}

/** A tmux server of this test's own, without anybody's settings; it and all that runs in it have ended when it is disposed. */
export async function aTmux(env: Readonly<Record<string, string>> = {}): Promise<PrivateTmux> {
  const folder = await aFolder();
  const socket = join(folder.path, "socket");
  const mark = crypto.randomUUID();
  const { TMUX: _, TMUX_PANE: __, ...ours } = process.env;
  const run = (...command: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-f", "/dev/null", "-S", socket, ...command], {
      encoding: "utf8",
      env: { ...ours, SHELL: "/bin/sh", ...env, [markName]: mark },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 10_000,
    }).replace(/\n$/, "");
  return {
    socket,
    folder: folder.path,
    run,
    pid: () => Number(run("display-message", "-p", "#{pid}")),
    async [Symbol.asyncDispose]() {
      await endMarked(mark, { graceMs: 0 });
      await folder[Symbol.asyncDispose]();
    },
  };
}
