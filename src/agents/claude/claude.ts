import { basename, dirname, join } from "node:path";
import type { Agent, Command, Recognised } from "../../core/agent.ts";
import type { ProcessEntry } from "../../core/census.ts";
import type { Conversation } from "../../core/facet.ts";
import { readCommandLine } from "../commandLine.ts";
import { environmentFor } from "../elsewhere.ts";
import { installedAs } from "../installed.ts";
import type { Installed } from "../installed.ts";
import { uuidPattern } from "../ids.ts";
import { readLive } from "./liveSessions.ts";
import { canResume } from "./transcripts.ts";

/** Claude Code, run here as 2.1.332 and 2.1.197. Its own list, `sessions/<pid>.json`, tells all but the moment of its trust dialog. */
export const claude: Agent = {
  id: "claude",
  program: "claude",
  name: "Claude Code",
  idPattern: uuidPattern,
  // In 11 of 11 states it left within 2 s and ran nothing that was pending; session-end hooks may take longer.
  ask: { escapeWhenBusy: true, signal: "SIGTERM", graceMs: 5_000 },
  recognise,
  configHomeOf,
  temporaryFolderOf: (environment) => environment.get("CLAUDE_CODE_TMPDIR") || environment.get("TMPDIR") || undefined,
  readLive,
  canResume,
  resumeCommand,
  childMarks: (_run, pid) => ({ CLAUDE_PID: String(pid) }),
  watchPaths: (configHome) => [join(configHome, "sessions")],
  watchPathsOf: ({ pidFile }) => (pidFile === undefined ? [] : [dirname(pidFile)]),
  stores: async (of, signal) => (await import("../stores.ts")).claudeStores(of, signal),
  storesByHand: [
    "~/.claude/projects/<folder>/<id>.jsonl and the folder <id> beside it",
    "~/.claude/file-history/<id>, session-env/<id>, tasks/<id>, debug/<id>.txt",
    "~/.claude/jobs/<first 8 of the id>, for a session that ran in the background",
    "~/.claude/history.jsonl: the lines that name the id, and what they point to in paste-cache",
    "/tmp/claude-<user number>/<folder>/<id>",
  ],
};

/** The native installer keeps its programs by version, outside any package. */
const installed: Installed = {
  packages: /^@anthropic-ai\/claude-code(-|$)/,
  native: /^claude(\.exe)?$/,
  script: /^cli(-wrapper)?\.[cm]?js$/,
  paths: /\/claude\/versions\/\d+\.\d+\.\d+[^/]*$/,
};

function recognise({ program, argv }: ProcessEntry): Recognised | undefined {
  const kind = program && installedAs(program, installed);
  if (!program || !kind) return undefined;
  if (kind === "script" && program.file.includes("cli-wrapper")) return { role: "launcher", runsIn: "terminal" };
  // It runs itself under other names for the tools it brings along, and as `claude bg-…` for its background sessions.
  const calledAs = basename(argv[0] ?? "");
  if (calledAs.startsWith("claude bg-")) return daemon;
  if (kind === "native" && !/^(claude|\d+\.\d+\.\d+)/.test(calledAs)) return command;

  const [first = ""] = program.args;
  if (first === "daemon" || first.startsWith("--bg-")) return daemon;
  if (/^--(claude-in-chrome-mcp|chrome-native-host|computer-use-mcp|preload|version|help)$/.test(first)) return command;
  const line = readCommandLine(program.args, withValue);
  if (line.has("--bg", "--background") || subcommands.has(line.words[0] ?? "")) return command;
  return { role: "agent", runsIn: line.has("-p", "--print") ? "automation" : "terminal" };
}
const daemon: Recognised = { role: "daemon", runsIn: "automation" };
const command: Recognised = { role: "command", runsIn: "terminal" };

const subcommands = new Set(
  "agents attach auth auto-mode config doctor gateway import install kill logs mcp migrate-installer plugin plugins purge respawn rm setup-token stop ultrareview update upgrade".split(
    " ",
  ),
);

const withValue = new Set(
  (
    "--add-dir --agent --agents --allowedTools --allowed-tools --append-system-prompt --append-system-prompt-file --autocompact --betas --cloud -d --debug --debug-file " +
    "--disallowedTools --disallowed-tools --effort --environment --fallback-model --file --from-pr --input-format --json-schema --max-budget-usd --max-turns --mcp-config " +
    "--model -n --name --output-format --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir --plugin-url --prompt-suggestions --remote-control " +
    "--remote-control-session-name-prefix -r --resume --session-id --setting-sources --settings --system-prompt --system-prompt-file --system-prompt-snapshot --teleport --tools " +
    "-w --worktree"
  ).split(" "),
);

function configHomeOf(environment: ReadonlyMap<string, string>): string | undefined {
  const home = environment.get("HOME");
  return environment.get("CLAUDE_CONFIG_DIR")?.normalize("NFC") || (home ? join(home, ".claude") : undefined);
}

async function resumeCommand({ id, home }: Conversation, cwd: string | undefined): Promise<Command> {
  const environment = await environmentFor(home, { configHomeOf, variable: "CLAUDE_CONFIG_DIR" });
  return { argv: ["claude", "--resume", id], ...(cwd !== undefined && { cwd }), ...environment };
}
