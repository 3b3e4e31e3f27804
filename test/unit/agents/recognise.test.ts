import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../src/agents/agents.ts";
import { agentOf } from "../../../src/core/agent.ts";
import type { Program } from "../../../src/core/census.ts";
import { processOf } from "./seen.ts";

const lib = "/home/someone/.local/lib/node_modules";
const native = (file: string, packageName: string | undefined, ...args: string[]): Shape => [
  { file, packageName, args, isScript: false },
  [basename(file), ...args],
];
const script = (file: string, packageName: string | undefined, ...args: string[]): Shape => [
  { file, packageName, args, isScript: true },
  ["node", file, ...args],
];
type Shape = readonly [program: Program | undefined, argv: readonly string[]];

/** What a process is taken for, in one word for each part. */
function look([program, argv]: Shape): string {
  const found = agentOf(processOf(100, program, argv), agents);
  return found ? `${found.agent.id} ${found.as.role} ${found.as.runsIn}` : "no agent";
}

const claudeExe = `${lib}/@anthropic-ai/claude-code/bin/claude.exe`;
const claude = (...args: string[]): Shape => [{ file: claudeExe, packageName: "@anthropic-ai/claude-code", args, isScript: false }, ["claude", ...args]];

describe("a process of Claude Code", () => {
  test.each<[Shape, string]>([
    [claude(), "claude agent terminal"],
    [claude("fix mcp"), "claude agent terminal"],
    [claude("--resume", "36ec9b97-6f5b-46e0-b414-f8407ce00a5d"), "claude agent terminal"],
    [claude("--model", "opus", "mcp"), "claude command terminal"],
    [claude("--append-system-prompt", "mcp"), "claude agent terminal"],
    [claude("-p", "say hello"), "claude agent automation"],
    [claude("--model", "opus", "--print"), "claude agent automation"],
    [claude("tell me about -p"), "claude agent terminal"],
    [claude("daemon", "run", "--origin", "transient"), "claude daemon automation"],
    [[claude("--bg-pty-host", "/tmp/x", "200", "50")[0], ["claude bg-pty-host", "--bg-pty-host", "/tmp/x"]], "claude daemon automation"],
    [[claude("--bg-spare", "/tmp/x")[0], ["claude bg-spare", "--bg-spare"]], "claude daemon automation"],
    [claude("--bg", "do it"), "claude command terminal"],
    [claude("mcp", "serve"), "claude command terminal"],
    [claude("--claude-in-chrome-mcp"), "claude command terminal"],
    [[claude("--files", "src")[0], ["rg", "--files", "src"]], "claude command terminal"],
    [native("/home/someone/.local/share/claude/versions/2.1.332", undefined), "claude agent terminal"],
    [script(`${lib}/@anthropic-ai/claude-code/cli.js`, "@anthropic-ai/claude-code"), "claude agent terminal"],
    [script(`${lib}/@anthropic-ai/claude-code/cli-wrapper.cjs`, "@anthropic-ai/claude-code"), "claude launcher terminal"],
    [script(`${lib}/@anthropic-ai/claude-code/install.cjs`, "@anthropic-ai/claude-code"), "no agent"],
    [native(`${lib}/@anthropic-ai/claude-code/vendor/ripgrep/rg`, "@anthropic-ai/claude-code"), "no agent"],
  ])("%j is %s", (shape, is) => {
    expect(look(shape)).toBe(is);
  });
});

const codexExe = `${lib}/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`;
const daemonExe = "/home/someone/.codex/packages/app-server-daemon/releases/0.171.0-x86_64-unknown-linux-musl/bin/codex";
const codex = (...args: string[]) => native(codexExe, "@openai/codex", ...args);

describe("a process of Codex", () => {
  test.each<[Shape, string]>([
    [script(`${lib}/@openai/codex/bin/codex.js`, "@openai/codex"), "codex launcher terminal"],
    [script(`${lib}/@openai/codex/bin/codex.js`, "@openai/codex", "exec", "x"), "codex launcher terminal"],
    [codex(), "codex agent terminal"],
    [codex("exec the plan"), "codex agent terminal"],
    [codex("-c", "tui.animations=false"), "codex agent terminal"],
    [codex("resume", "01a22a3e-7a1a-7042-a002-7d09585aaaad"), "codex agent terminal"],
    [codex("-c", "model=x", "exec", "say hello"), "codex agent automation"],
    [codex("review"), "codex agent automation"],
    [codex("mcp", "list"), "codex command terminal"],
    [codex("app-server"), "codex daemon appServer"],
    [native(daemonExe, undefined, "app-server", "--listen", "unix://", "--managed-daemon"), "codex daemon appServer"],
    [native(daemonExe, "package-of-the-home-folder", "app-server"), "codex daemon appServer"],
    [[codex("--flag")[0], ["apply_patch", "--flag"]], "codex command terminal"],
    [codex("--codex-run-as-fs-helper"), "codex command terminal"],
    [native(`${lib}/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/x/codex-path/rg`, "@openai/codex"), "no agent"],
  ])("%j is %s", (shape, is) => {
    expect(look(shape)).toBe(is);
  });
});

const cline = (...args: string[]) => native(`${lib}/cline/bin/.cline`, "cline", ...args);

describe("a process of Cline", () => {
  test.each<[Shape, string]>([
    [script(`${lib}/cline/bin/cline`, "cline"), "cline launcher terminal"],
    [cline(), "cline agent terminal"],
    [native(`${lib}/@cline/cli-linux-x64/bin/cline`, "@cline/cli-linux-x64"), "cline agent terminal"],
    [cline("--id", "1796005435671_tt14c"), "cline agent terminal"],
    [cline("-i", "fix the hub"), "cline agent terminal"],
    [cline("say hello", "--json"), "cline agent automation"],
    [cline("say hello"), "cline agent automation"],
    [cline("--cline-hub-daemon", "--cwd", "/srv/app", "--host", "127.0.0.1", "--port", "25463"), "cline daemon appServer"],
    [cline("--acp"), "cline daemon panel"],
    [cline("history", "--json"), "cline command terminal"],
    [script(`${lib}/cline/postinstall.mjs`, "cline"), "no agent"],
  ])("%j is %s", (shape, is) => {
    expect(look(shape)).toBe(is);
  });
});

const gemini = (...args: string[]) => script(`${lib}/@google/gemini-cli/bundle/gemini.js`, "@google/gemini-cli", ...args);

describe("a process of Gemini CLI", () => {
  test.each<[Shape, string]>([
    [gemini(), "gemini agent terminal"],
    [gemini("--resume", "latest"), "gemini agent terminal"],
    [gemini("-i", "hello"), "gemini agent terminal"],
    [gemini("fix the hooks"), "gemini agent terminal"],
    [gemini("-p", "say hello"), "gemini agent automation"],
    [gemini("--prompt=say hello"), "gemini agent automation"],
    [gemini("--acp"), "gemini daemon panel"],
    [gemini("-m", "pro", "mcp", "list"), "gemini command terminal"],
    [gemini("--list-sessions"), "gemini command terminal"],
    [script(`${lib}/@google/gemini-cli/bundle/worker/worker.js`, "@google/gemini-cli"), "no agent"],
  ])("%j is %s", (shape, is) => {
    expect(look(shape)).toBe(is);
  });
});

const copilot = (...args: string[]) => native(`${lib}/@github/copilot/node_modules/@github/copilot-linux-x64/copilot`, "@github/copilot-linux-x64", ...args);

describe("a process of Copilot CLI", () => {
  test.each<[Shape, string]>([
    [script(`${lib}/@github/copilot/npm-loader.js`, "@github/copilot"), "copilot launcher terminal"],
    [copilot(), "copilot agent terminal"],
    [copilot("--resume=0cb916db-26aa-40f2-86b5-1ba81b225fd2"), "copilot agent terminal"],
    [copilot("-i", "plugin"), "copilot agent terminal"],
    [copilot("-p", "say hello", "--allow-all-tools"), "copilot agent automation"],
    [copilot("--acp"), "copilot daemon panel"],
    [copilot("mcp"), "copilot command terminal"],
  ])("%j is %s", (shape, is) => {
    expect(look(shape)).toBe(is);
  });
});

const opencode = (...args: string[]) => native(`${lib}/opencode-ai/bin/opencode.exe`, "opencode-ai", ...args);

describe("a process of OpenCode", () => {
  test.each<[Shape, string]>([
    [opencode(), "opencode agent terminal"],
    [opencode("/srv/app"), "opencode agent terminal"],
    [opencode("-s", "ses_1", "--port", "4096"), "opencode agent terminal"],
    [native("/home/someone/.opencode/bin/opencode", undefined), "opencode agent terminal"],
    [native(`${lib}/opencode-linux-x64/bin/opencode`, "opencode-linux-x64"), "opencode agent terminal"],
    [opencode("run", "say hello"), "opencode agent automation"],
    [opencode("serve", "--port", "4096"), "opencode server appServer"],
    [opencode("web"), "opencode server appServer"],
    [opencode("attach", "http://127.0.0.1:4096"), "opencode command terminal"],
    [opencode("session", "list"), "opencode command terminal"],
  ])("%j is %s", (shape, is) => {
    expect(look(shape)).toBe(is);
  });
});

const python = "/home/someone/.local/share/uv/python/cpython-3.11/bin/python3.11";
const hermes = (...args: string[]): Shape => [
  { file: python, packageName: undefined, args: ["/home/someone/.local/bin/hermes", ...args], isScript: false },
  ["/home/someone/.hermes/hermes-agent/venv/bin/python3", "/home/someone/.local/bin/hermes", ...args],
];
const agy = (...args: string[]) => native("/home/someone/.local/bin/agy", undefined, ...args);

describe("a process of an agent that was never run here, where its installer puts it", () => {
  test.each<[Shape, string]>([
    [agy(), "agy agent terminal"],
    [agy("--conversation", "0cb916db-26aa-40f2-86b5-1ba81b225fd2"), "agy agent terminal"],
    [agy("-p", "say hello"), "agy agent automation"],
    [agy("plugin", "list"), "agy command terminal"],
    [native("/home/someone/bin/agy", undefined), "no agent"],
    [hermes(), "hermes agent terminal"],
    [hermes("--resume", "20261130_022356_0af3c1"), "hermes agent terminal"],
    [hermes("chat", "-q", "say hello"), "hermes agent automation"],
    [hermes("gateway"), "hermes daemon appServer"],
    [hermes("sessions", "list"), "hermes command terminal"],
  ])("%j is %s", (shape, is) => {
    expect(look(shape)).toBe(is);
  });
});

describe("what only looks like an agent is none", () => {
  test.each<[string, Shape]>([
    ["vim claude", native("/usr/bin/vim.basic", undefined, "claude")],
    ["node claude.js", script("/home/someone/app/claude.js", undefined)],
    ["grep codex", native("/usr/bin/grep", undefined, "codex", "-r", ".")],
    ["tail -f codex.log", native("/usr/bin/tail", undefined, "-f", "codex.log")],
    ["a node script called gemini", script("/home/someone/bin/gemini", undefined)],
    ["a shell script called claude", native("/usr/bin/bash", undefined, "/home/someone/bin/claude")],
    ["Python called hermes", native("/usr/bin/python3.11", undefined, "/home/someone/bin/hermes")],
    ["a native program called copilot", native("/home/someone/bin/copilot", undefined)],
    ["a native program called codex", native("/home/someone/bin/codex", undefined)],
    ["exec -a claude sleep", [{ file: "/usr/bin/sleep", packageName: undefined, args: ["300"], isScript: false }, ["claude", "300"]]],
    ["cd claude; sleep", native("/usr/bin/sleep", undefined, "300")],
    ["python with agents in its argv", native("/usr/bin/python3.11", undefined, "-c", "pass", "claude", "-p", "codex", "exec")],
    ["node with its title set to claude", [undefined, ["claude"]]],
    ["less on gemini's own script", native("/usr/bin/less", undefined, `${lib}/@google/gemini-cli/bundle/gemini.js`)],
    ["node --check", [undefined, ["node", "--check", `${lib}/@google/gemini-cli/bundle/gemini.js`]]],
  ])("%s", (_, shape) => {
    expect(look(shape)).toBe("no agent");
  });

  test("a program of the same name in a package of somebody else", () => {
    expect(look(native("/home/someone/app/node_modules/x/claude", "claude"))).toBe("no agent");
    expect(look(native(`${lib}/@anthropic-ai/claude-code-router/bin/claude`, "@anthropic-ai-fake/claude-code"))).toBe("no agent");
  });

  test("an agent that is a zombie", () => {
    const [program, argv] = claude();
    expect(agentOf(processOf(100, program, argv, { state: "zombie" }), agents)).toBeUndefined();
  });
});
