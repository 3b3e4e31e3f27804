import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { anthropicKey } from "../lab.ts";
import type { Lab } from "../lab.ts";
import { lastScreen } from "../panes.ts";
import { identityOf, treeOf } from "../processes.ts";
import { until } from "../until.ts";
import { configure, launch, readJson } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";
import { versionOf } from "../install.ts";

/** What Claude Code itself says of one of its processes, in `sessions/<pid>.json`. */
export interface ClaudeFile {
  readonly pid: number;
  readonly sessionId: string;
  readonly cwd: string;
  readonly procStart: string;
  readonly entrypoint: string;
  readonly kind: string;
  readonly pidDomain: string;
  readonly tmux?: string;
  readonly status?: string;
  readonly waitingFor?: string;
  readonly statusUpdatedAt?: number;
}

/** For a Claude Code that is started in another way: it talks to nobody but the model. */
export const quietClaude = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
  DISABLE_AUTOUPDATER: "1",
} as const;

/** Resolves when Claude Code says that it is idle: no onboarding, trust or key question comes before. */
export async function startClaude(lab: Lab, start: Start): Promise<Agent> {
  const agent = await launchClaude(lab, start);
  await untilClaude(agent, "idle");
  return agent;
}

/** Resolves as soon as its process is there; in a folder outside the lab's it asks whether to trust it. */
export async function launchClaude(lab: Lab, start: Start): Promise<Agent> {
  configureClaude(lab);
  const args = ["--permission-mode", "manual", ...(start.args ?? [])];
  return await launch(lab, "claude", { ...start, args, env: { ...quietClaude, ...start.env } }, ({ comm }) => comm === "claude");
}

/** A Claude Code that is no pane's. */
export type ClaudeProcess = Pick<Agent, "lab" | "cwd" | "process">;

/** In a pseudo-terminal without tmux, prompted by its arguments, since nobody types there. Resolves as soon as its process is there. */
export async function launchPlainClaude(lab: Lab, cwd: string, ...args: readonly string[]): Promise<ClaudeProcess> {
  configureClaude(lab);
  const argv = [pseudoTerminal, "claude", "--permission-mode", "manual", ...args];
  const terminal = spawn("python3", argv, { cwd, env: { ...lab.env, ...quietClaude }, stdio: "ignore" });
  const found = await until(() => treeOf(terminal.pid ?? 0).find(({ comm }) => comm === "claude"));
  return { lab, cwd, process: identityOf(found.pid) };
}
const pseudoTerminal = fileURLToPath(new URL("../../../../scripts/demo/pseudoTerminal.py", import.meta.url));

export function claudeFile({ lab, process }: ClaudeProcess): ClaudeFile {
  return readJson(join(lab.home, `.claude/sessions/${process.pid}.json`)) as ClaudeFile;
}

export async function untilClaude(agent: ClaudeProcess & Partial<Agent>, status: string, waitingFor?: string): Promise<ClaudeFile> {
  return await until(
    () => {
      const says = claudeFile(agent);
      return says.status === status && (waitingFor === undefined || says.waitingFor === waitingFor) ? says : undefined;
    },
    60_000,
    () => `Claude Code is not ${status} ${waitingFor ?? ""}; it says ${lastWord(agent)}\n${agent.pane ? lastScreen(agent.pane) : ""}`,
  );
}

/** Where the conversation lies, wherever it began; undefined before its first prompt. */
export function findTranscript(lab: Lab, conversationId: string): string | undefined {
  const projects = join(lab.home, ".claude/projects");
  return readdirSync(projects, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(`${conversationId}.jsonl`))
    .map((path) => join(projects, path))
    .at(0);
}

export function configureClaude(lab: Lab): void {
  configure(join(lab.home, ".claude.json"), {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: versionOf("claude"),
    theme: "dark",
    numStartups: 5,
    customApiKeyResponses: { approved: [anthropicKey.slice(-20)], rejected: [] },
    // Trust in a folder holds for all below it.
    projects: { [lab.root]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, projectOnboardingSeenCount: 3 } },
  });
}

function lastWord(agent: ClaudeProcess): string {
  try {
    return JSON.stringify(claudeFile(agent));
  } catch (thrown) {
    return String(thrown);
  }
}
