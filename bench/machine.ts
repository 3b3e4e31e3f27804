import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A private HOME and tmux server with many sessions; its server is ended and its folder removed at the end. */
export interface Crowd extends Disposable {
  readonly folder: string;
  readonly socket: string;
  tmux(...args: readonly string[]): string;
}

export function makeCrowd(sessions: number): Crowd {
  const folder = mkdtempSync(join(tmpdir(), "warden-bench-"));
  const socket = join(folder, "tmux/socket");
  mkdirSync(join(folder, "tmux"), { mode: 0o700 });
  const tmux = (...args: readonly string[]): string => execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  tmux("new-session", "-d", "-s", "session 0", "sleep 3600");
  for (let index = 1; index < sessions; index++) tmux("new-session", "-d", "-s", `session ${index}`, "sleep 3600");
  return {
    folder,
    socket,
    tmux,
    [Symbol.dispose]() {
      tmux("kill-server");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
