import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { startFakeModel } from "./fakeModel/fakeModel.ts";
import type { FakeModel } from "./fakeModel/fakeModel.ts";
import { programOf, realAgents } from "./install.ts";
import { homeOf, makeLabFolder, processesOf, removeLabFolder } from "./labFolder.ts";
import type { ProcessIdentity } from "./processes.ts";

/** A machine of its own inside this one: private HOME, XDG folders, tmux server and model. Nothing of the person's is read or written. */
export interface Lab {
  readonly root: string;
  readonly home: string;
  /** The folder where agents work, and which they trust. */
  readonly work: string;
  /** Where this lab's tmux server listens: also what a plain `tmux` run with `env` talks to. */
  readonly socket: string;
  /** The whole environment for any program run here, the product included. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: FakeModel;
  /** For a daemon that would else listen on the same port as another lab's, or the person's own. */
  readonly freePort: number;
  /** Makes another folder beside `work`; an agent started in it trusts it too. */
  folder(name: string): string;
  /** Runs tmux on this lab's server and tells what it printed; throws with its words if it fails. */
  tmux(...args: readonly string[]): string;
  /** Every process of this lab that lives now, daemons outside any pane included. */
  processes(): readonly ProcessIdentity[];
  /** Ends all of them, by identity, and removes the folders. */
  close(): Promise<void>;
}

export async function withLab<T>(use: (lab: Lab) => Promise<T>): Promise<T> {
  const lab = await startLab();
  try {
    return await use(lab);
  } finally {
    await lab.close();
  }
}

export async function startLab(): Promise<Lab> {
  const root = await makeLabFolder();
  const home = folderAt(homeOf(root), "");
  const tmuxFolder = folderAt(root, `tmux/tmux-${process.getuid?.() ?? 0}`);
  const socket = join(tmuxFolder, "default");
  const model = await startFakeModel();
  const env = environment(root, home, model);
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { env, encoding: "utf8", timeout: 10_000, stdio: ["ignore", "pipe", "pipe"] });

  // A pane's shell is a login shell, and the system's profile sets PATH anew before this.
  writeFileSync(join(home, ".bash_profile"), `export PATH='${env["PATH"]}'\n`);
  // Without exit-empty the server would end with its last session, in the middle of a test.
  tmux("start-server", ";", "set-option", "-s", "exit-empty", "off", ";", "set-option", "-g", "default-size", "140x45");
  return {
    root,
    home,
    work: folderAt(root, "work"),
    socket,
    env,
    model,
    freePort: await findFreePort(),
    folder: (name) => folderAt(root, name),
    tmux,
    processes: () => processesOf(root),
    close: async () => {
      await removeLabFolder(root);
      await model.close();
    },
  };
}

/** Built from nothing: this process may itself run below an agent, an editor or a tmux, whose variables would be taken for the lab's. */
function environment(root: string, home: string, model: FakeModel): Lab["env"] {
  const programs = realAgents.map((agent) => dirname(programOf(agent)));
  return {
    PATH: [...programs, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    SHELL: "/bin/bash",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    TMPDIR: folderAt(root, "tmp"),
    TMUX_TMPDIR: join(root, "tmux"),
    XDG_CONFIG_HOME: folderAt(home, ".config"),
    XDG_DATA_HOME: folderAt(home, ".local/share"),
    XDG_STATE_HOME: folderAt(home, ".local/state"),
    XDG_CACHE_HOME: folderAt(home, ".cache"),
    XDG_RUNTIME_DIR: folderAt(root, "run"),
    ...(process.env["LOGNAME"] === undefined ? {} : { LOGNAME: process.env["LOGNAME"] }),
    ...modelVariables(model),
  };
}

/** How each agent that is told by its environment finds the model; Codex, Cline and OpenCode have a file for it. */
function modelVariables({ url }: FakeModel): Lab["env"] {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: anthropicKey,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: "fake",
    FAKE_KEY: "fake",
  };
}

/** Claude Code asks about a key it doesn't know by its last 20 characters. */
export const anthropicKey = "sk-ant-fake-0123456789abcdefghijABCDEFGHIJ";

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

function folderAt(base: string, name: string): string {
  const path = join(base, name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
