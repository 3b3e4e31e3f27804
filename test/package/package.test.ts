import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { OpenAgent, SeenRow } from "../host/stage.ts";
import { openAgent, theExtension, untilIn } from "../host/stage.ts";
import { until } from "../host/until.ts";

describe("the installed package", () => {
  it("is what VS Code has installed, not what lies in the tree", async () => {
    assert.equal(dirname(theExtension().extensionPath), named("SESSION_WARDEN_TESTS_EXTENSIONS"));
    await until("the extension is active", () => theExtension().isActive);
  });

  it("holds what runs and what a person reads, and nothing else", () => {
    const files = filesIn(theExtension().extensionPath);
    const database = files.filter((file) => file.startsWith("dist/node_modules/better-sqlite3/"));
    assert.deepEqual(
      database.flatMap((file) => /prebuilds\/(.*)\.node$/.exec(file)?.[1] ?? []),
      ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "linuxmusl-arm64", "linuxmusl-x64", "win32-arm64", "win32-x64"],
    );
    assert.ok(database.includes("dist/node_modules/better-sqlite3/LICENSE"), "the database program's licence is missing");
    assert.doesNotMatch(database.join("\n"), /\.(c|h|cpp|hpp|gyp|gypi|sh)$/m);
    const yaml = files.filter((file) => file.startsWith("dist/node_modules/yaml/"));
    assert.ok(yaml.includes("dist/node_modules/yaml/LICENSE"), "the YAML library's licence is missing");
    assert.doesNotMatch(yaml.join("\n"), /\/browser\/|\.(ts|mjs|md)$/m);
    const ours = files.filter((file) => !database.includes(file) && !yaml.includes(file));
    assert.deepEqual(ours, [
      ".vsixmanifest",
      "LICENSE.txt",
      "bin/session-warden",
      "changelog.md",
      "dist/cli.js",
      "dist/execa.js",
      "dist/extension.js",
      "dist/stores.js",
      "media/icon.png",
      "media/sessions.svg",
      "package.json",
      "package.nls.json",
      "readme.md",
    ]);
    assert.ok(statSync(named("SESSION_WARDEN_TESTS_VSIX")).size < 12_000_000, "the VSIX is larger than 12 megabytes");
  });

  it("shows a person no picture and no link that leads nowhere", () => {
    const readme = readFileSync(installed("readme.md"), "utf8");
    assert.match(readme, /^# Session Warden$/m);
    assert.match(readme, /^\| `sessionWarden\.notify` \|/m);
    assert.doesNotMatch(readme, /\]\((?!https:|#)/);
  });
});

describe("the installed package and a registry's database", () => {
  it("opens it in the extension host, and by its command line on the editor's own Node", async () => {
    const folder = mkdtempSync(join(tmpdir(), "registry-"));
    const Sqlite = createRequire(installed("dist/extension.js"))("better-sqlite3") as new (path: string) => { exec(sql: string): void; close(): void };
    const database = new Sqlite(join(folder, "agents.db"));
    database.exec(`CREATE TABLE sessions (name TEXT PRIMARY KEY, data TEXT);
      INSERT INTO sessions VALUES ('from-a-database', '{"name": "from-a-database", "status": "stopped"}')`);
    database.close();
    const env = { SESSION_WARDEN_NODE: process.execPath, AGENT_SESSIONS_YAML: join(folder, "agents.yaml") };
    const { title } = (await session(installed("bin/session-warden"), "mux:from-a-database", env)) ?? {};
    assert.equal(title, "from-a-database");
  });
});

describe("the installed package and an agent in a terminal", () => {
  const opened: OpenAgent[] = [];
  const open = async (subject: string): Promise<{ readonly agent: OpenAgent; readonly pid: number; readonly row: SeenRow }> => {
    const agent = await openAgent("claude", subject);
    opened.push(agent);
    const row = await untilIn("Open", subject);
    const pid = await agent.terminal.processId;
    assert.ok(pid !== undefined && lives(pid), "the stand-in does not run");
    return { agent, pid, row };
  };
  before(() => theExtension().activate());
  afterEach(() => opened.splice(0).forEach(({ terminal }) => terminal.dispose()));

  it("lists it, and stops it so that its process is gone", async () => {
    const { agent, pid, row } = await open("listed by the package");
    await vscode.commands.executeCommand("sessionWarden.stop", row.key);
    await untilIn("Stopped", "listed by the package");
    await until("its process is gone", () => !lives(pid));
    assert.deepEqual(
      agent.reached().flatMap(({ signal, key }) => signal ?? key ?? []),
      ["SIGTERM"],
    );
  });

  it("its command line may be run, on the editor's own Node, by its own path and by a link's", async () => {
    const { pid, row } = await open("listed by the command line");
    const link = join(homedir(), "a link to it");
    symlinkSync(installed("bin/session-warden"), link);
    for (const file of [installed("bin/session-warden"), link]) {
      const listed = await session(file, row.key, { SESSION_WARDEN_NODE: process.execPath });
      assert.deepEqual([listed?.title, listed?.pid], ["listed by the command line", pid]);
    }
  });

  it("Install Command Line Tool puts a launcher there that lists it and stops it", async () => {
    const { pid, row } = await open("stopped by the launcher");
    await vscode.commands.executeCommand("sessionWarden.installCommandLineTool");
    const launcher = join(homedir(), ".local/bin/session-warden");
    assert.equal((await session(launcher, row.key))?.pid, pid);
    const receipt = (await answerOf(launcher, ["stop", row.key, "--yes", "--json"])) as { readonly status: string };
    assert.equal(receipt.status, "success");
    await until("its process is gone", () => !lives(pid));
    await untilIn("Stopped", "stopped by the launcher");
  });
});

interface Listed {
  readonly key: string;
  readonly title: string;
  readonly pid: number | null;
}

async function session(file: string, key: string, env: NodeJS.ProcessEnv = {}): Promise<Listed | undefined> {
  const { sessions } = (await answerOf(file, ["list", "--json"], env)) as { readonly sessions: readonly Listed[] };
  return sessions.find((listed) => listed.key === key);
}

/** What it prints, run as a person's shell runs it: by its name, with nothing of the editor's around it. */
async function answerOf(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const names = ["PATH", "HOME", "TMUX_TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
  const around = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const { stdout } = await promisify(execFile)(file, args, { env: { ...around, ...env }, timeout: 20_000 });
  return JSON.parse(stdout);
}

function installed(file: string): string {
  return join(theExtension().extensionPath, file);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

/** A process whose parent has not yet taken note of its end is still counted: wait where that may be. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function named(variable: string): string {
  const value = process.env[variable];
  assert.ok(value, `${variable} is not set: the suite is started by npm test`);
  return value;
}
