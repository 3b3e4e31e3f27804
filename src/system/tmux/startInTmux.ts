import { lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Command } from "../../core/agent.ts";
import type { Pane } from "../../core/census.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { StartedInTmux } from "../../core/warden.ts";
import { findOnPath } from "../findOnPath.ts";
import { isPlainName, tmuxName } from "./names.ts";
import { refusedBy } from "./tmuxProgram.ts";
import type { Tmux } from "./tmuxProgram.ts";

/** Runs a command in a new tmux session of that name; in a new window of it, where there is one already. Never typed, and never through a shell. */
export async function startInTmux(name: string, command: Command, panes: readonly Pane[], tmux: Tmux, signal: AbortSignal): Promise<StartedInTmux | Refusal> {
  if (!isPlainName(name)) return { kind: "refused", reason: "unsupported", detail: "its name can't be a tmux session's" };
  const cwd = command.cwd ?? "/";
  if (!(await isFolder(cwd))) return { kind: "refused", reason: "unsupported", detail: `the folder ${cwd} is not there` };
  const there = panes.filter(({ sessionName }) => sessionName === tmuxName(name));
  const sockets = [...new Set(there.map(({ server }) => server.socket))];
  if (sockets.length > 1)
    return { kind: "refused", reason: "unsupported", detail: `tmux sessions called ${name} are on several servers: ${sockets.join(", ")}` };

  const [pane] = there;
  const socket = pane?.server.socket ?? (await usualSocket());
  if (socket === undefined) return { kind: "refused", reason: "unsupported", detail: "others may write to the folder of tmux's sockets" };
  const where = pane ? ["new-window", "-d", "-t", `${pane.sessionId}:`] : ["new-session", "-d", "-s", name, "-x", "200", "-y", "50"];
  // Not by -c, in which tmux expands formats: where the client is, the pane begins.
  const answer = await tmux.ask(socket, [...where, "-P", "-F", format, "--", ...(await argvOf(command))], signal, cwd);
  return answer.kind === "exited" && answer.code === 0 ? startedIn(answer.stdout, socket) : refusedBy(answer, tmux);
}
const format = "#{pid}\t#{pane_pid}\t#{session_id}\t#{window_id}";

function startedIn(output: string, socket: string): StartedInTmux | Refusal {
  const [serverPid, pid, sessionId, windowId] = output.trim().split("\t");
  if (serverPid === undefined || pid === undefined || sessionId === undefined || windowId === undefined)
    return { kind: "refused", reason: "unreachable", detail: "tmux did not say what it started" };
  return { kind: "started", pid: Number(pid), pane: { server: { socket, pid: Number(serverPid) }, sessionId, windowId } };
}

/** By `env`, since a single word would be given to a shell; by its path, since a server keeps the PATH that it was started with. */
async function argvOf({ argv: [program, ...args], env }: Command): Promise<readonly string[]> {
  const variables = Object.entries(env ?? {});
  const unset = variables.flatMap(([name, value]) => (value === undefined ? ["-u", name] : []));
  const assignments = variables.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const path = await findOnPath(program);
  // `env` would take it for a variable.
  return ["env", ...unset, ...assignments, path === undefined || path.includes("=") ? program : path, ...args];
}

/** Where a `tmux` that is typed here would go. */
async function usualSocket(): Promise<string | undefined> {
  const [current] = (process.env["TMUX"] ?? "").split(",");
  if (current) return current;
  const socket = join(process.env["TMUX_TMPDIR"] || "/tmp", `tmux-${process.getuid?.() ?? 0}`, "default");
  // With -S tmux itself does not make the folder.
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
  const folder = await lstat(dirname(socket));
  // With -S it does not look at it either.
  return folder.isDirectory() && folder.uid === process.getuid?.() && (folder.mode & 0o022) === 0 ? socket : undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
