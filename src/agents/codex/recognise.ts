import { basename } from "node:path";
import type { Recognised } from "../../core/agent.ts";
import type { ProcessEntry } from "../../core/census.ts";
import { readCommandLine } from "../commandLine.ts";
import type { CommandLine } from "../commandLine.ts";
import { installedAs } from "../installed.ts";
import type { Installed } from "../installed.ts";

const installed: Installed = {
  packages: /^@openai\/codex(-|$)/,
  native: /^codex(\.exe)?$/,
  script: /^codex\.js$/,
  paths: /\/packages\/app-server-daemon\/releases\/[^/]+\/bin\/codex$/,
};

export function recognise({ program, argv }: ProcessEntry): Recognised | undefined {
  const kind = program && installedAs(program, installed);
  if (!program || !kind) return undefined;
  if (kind === "script") return { role: "launcher", runsIn: "terminal" };
  // It runs itself under other names for the tools it brings along.
  if (!/^codex(\.exe)?$/.test(basename(argv[0] ?? "")) || program.args[0]?.startsWith("--codex-run-as-")) return { role: "command", runsIn: "terminal" };
  const line = readCodexArguments(program.args);
  const [word = ""] = line.words;
  if (daemons.has(word)) return { role: "daemon", runsIn: "appServer" };
  if (headless.has(word)) return { role: "agent", runsIn: "automation" };
  if (subcommands.has(word) || line.has("-V", "--version", "-h", "--help")) return { role: "command", runsIn: "terminal" };
  return { role: "agent", runsIn: "terminal" };
}

export function readCodexArguments(args: readonly string[]): CommandLine {
  return readCommandLine(args, withValue);
}

const daemons = new Set(["app-server", "exec-server", "mcp-server", "remote-control"]);
const headless = new Set(["exec", "e", "review"]);
const subcommands = new Set(
  "a agents apply archive cloud completion debug delete doctor features help login logout mcp migrate-nfs-db migrate-rollouts plugin queue sandbox unarchive update".split(
    " ",
  ),
);
const withValue = new Set(
  "-c --config --enable --disable --remote --remote-auth-token-env -i --image -m --model --local-provider -p --profile -s --sandbox -C --cd --add-dir -a --ask-for-approval".split(
    " ",
  ),
);
