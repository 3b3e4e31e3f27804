import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startInTmux } from "../../../src/system/tmux/startInTmux.ts";
import { readPanes } from "../../../src/system/tmux/panes.ts";
import { tmuxProgram } from "../../../src/system/tmux/tmuxProgram.ts";
import { until } from "../../real/support/until.ts";

const { signal } = new AbortController();
const tmux = tmuxProgram("tmux");
let folder: string;
let socket: string;
const before = { TMUX: process.env["TMUX"], TMUX_TMPDIR: process.env["TMUX_TMPDIR"] };
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "start-")));
  delete process.env["TMUX"];
  process.env["TMUX_TMPDIR"] = folder;
  socket = join(folder, `tmux-${process.getuid?.() ?? 0}`, "default");
});
afterAll(() => {
  if (existsSync(socket)) execFileSync("tmux", ["-S", socket, "kill-server"]);
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(folder, { recursive: true, force: true });
});
const panes = async () => (await readPanes([socket], tmux, signal)).panes;

test.each(["plain", "with space", "proj#(touch pwned)", "p#{session_name}", "c#S", "#[fg=red]", "##[x]", "é %1 $HOME ;"])(
  "a folder called %j is where it begins, in a new session and in a new window, and nothing of its name is run",
  async (name) => {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    const session = `s-${name.replaceAll(/[^a-z]/g, "")}${name.length}`;
    for (const nth of [1, 2]) {
      const started = await startInTmux(session, { argv: ["sleep", "1000"], cwd, env: { MARK: "x y", GONE: undefined } }, await panes(), tmux, signal);
      if (started.kind === "refused") throw new Error(JSON.stringify(started));
      await until(() => readlinkSync(`/proc/${started.pid}/exe`).endsWith("sleep"));
      expect(readlinkSync(`/proc/${started.pid}/cwd`)).toBe(cwd);
      expect((await panes()).filter(({ sessionName }) => sessionName === session)).toHaveLength(nth);
    }
    for (const where of [folder, cwd, process.cwd()]) expect(existsSync(join(where, "pwned"))).toBe(false);
  },
);

test.each(["a#(touch pwned)", "v#{version}", "tab\tname", "back\\slash", ""])("the name %j is no tmux session's", async (name) => {
  expect(await startInTmux(name, { argv: ["sleep", "1000"], cwd: folder }, [], tmux, signal)).toMatchObject({ kind: "refused", reason: "unsupported" });
});

test("a folder that is not there, and sockets in a folder that others may write to, are refused", async () => {
  expect(await startInTmux("x", { argv: ["sleep", "1000"], cwd: join(folder, "nowhere") }, [], tmux, signal)).toMatchObject({ kind: "refused" });
  process.env["TMUX_TMPDIR"] = join(folder, "open");
  mkdirSync(join(folder, "open", `tmux-${process.getuid?.() ?? 0}`), { recursive: true });
  execFileSync("chmod", ["777", join(folder, "open", `tmux-${process.getuid?.() ?? 0}`)]);
  expect(await startInTmux("x", { argv: ["sleep", "1000"], cwd: folder }, [], tmux, signal)).toMatchObject({
    kind: "refused",
    detail: expect.stringContaining("others may write"),
  });
  process.env["TMUX_TMPDIR"] = folder;
});
