import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ProcessEntry } from "../../../../src/core/census.ts";
import { openLinuxProcesses } from "../../../../src/system/linuxProcesses.ts";
import { isListening } from "../../../../src/system/listening.ts";
import { findSockets } from "../../../../src/system/tmux/sockets.ts";
import { startChild } from "../../../support/children.ts";
import { anEntry, pid } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { aTmux } from "../../../support/tmux.ts";
import { until } from "../../../real/support/until.ts";

const uid = process.getuid?.() ?? 0;
const nothingAround = async (): Promise<ReadonlyMap<string, string>> => new Map();

/** A socket that somebody listens on. */
async function aSocket(path: string): Promise<Server> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await until(() => server.listening);
  return server;
}

/** A tmux of this user, started with these words. */
function aTmuxProcess(argv: readonly string[], over: Partial<ProcessEntry> = {}): ProcessEntry {
  return anEntry(pid(41), { argv, uid, program: { file: "/usr/bin/tmux", packageName: undefined, args: argv.slice(1), isScript: false }, ...over });
}
async function found(folder: string, processes: readonly ProcessEntry[], environment: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const sockets = await findSockets([], processes, async () => new Map(Object.entries(environment)));
  return sockets.filter((socket) => socket.startsWith(folder)).map((socket) => socket.slice(folder.length + 1));
}

test("a server that was named by -S is found from its process, wherever its socket lies", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  const table = await openLinuxProcesses();
  const processes = await table.readAll(new AbortController().signal);
  expect(await findSockets([], processes.values(), ({ identity }) => table.environmentOf(identity))).toContain(tmux.socket);
});

test.each<[readonly string[], Readonly<Record<string, string>>, string | undefined]>([
  [["tmux", "-S", "FOLDER/s"], {}, "s"],
  [["tmux", "-SFOLDER/s"], {}, "s"],
  [["tmux", "-2uSFOLDER/s", "attach"], {}, "s"],
  [["tmux", "-2u", "-f", "/dev/null", "-S", "FOLDER/s", "new-session"], {}, "s"],
  [["tmux", "-L", "name", "-S", "FOLDER/s"], {}, "s"],
  [["tmux", "-S", "/nowhere", "-S", "FOLDER/s"], {}, "s"],
  [["tmux", "-S", "s"], { PWD: "FOLDER" }, "s"],
  [["tmux", "-L", "name"], { TMUX_TMPDIR: "FOLDER" }, `tmux-${uid}/name`],
  [["tmux", "-Lname", "attach"], { TMUX_TMPDIR: "FOLDER" }, `tmux-${uid}/name`],
  [["tmux", "-c", "-S", "new-session"], {}, undefined],
  [["tmux", "new-session", "-S", "FOLDER/s"], {}, undefined],
  [["tmux"], {}, undefined],
  [["tmux"], { TMUX_TMPDIR: "FOLDER" }, `tmux-${uid}/default`],
  [["tmux", "new-session", "-s", "work"], { TMUX_TMPDIR: "FOLDER" }, `tmux-${uid}/default`],
  [["tmux", "attach"], { TMUX: "FOLDER/s,4121,0", TMUX_TMPDIR: "FOLDER" }, "s"],
  [["tmux", "attach"], { TMUX: "", TMUX_TMPDIR: "FOLDER" }, `tmux-${uid}/default`],
  [["tmux", "-L", "name"], { TMUX: "FOLDER/s,4121,0", TMUX_TMPDIR: "FOLDER" }, `tmux-${uid}/name`],
])("%j with %j", async (argv, environment, socket) => {
  await using folder = await aFolder();
  await mkdir(join(folder.path, `tmux-${uid}`));
  await aSocket(join(folder.path, "s"));
  for (const name of ["name", "default"]) await aSocket(join(folder.path, `tmux-${uid}`, name));
  const at = (text: string): string => text.replace("FOLDER", folder.path);
  const around = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, at(value)]));
  expect(await found(folder.path, [aTmuxProcess(argv.map(at))], around)).toEqual(socket === undefined ? [] : [socket]);
});

test("a server whose folder only its own shell knew is found from its environment", async () => {
  await using folder = await aFolder();
  const { pid } = await startChild(["tmux", "-f", "/dev/null", "-D"], { env: { TMUX: "", TMUX_TMPDIR: folder.path } });
  const table = await openLinuxProcesses();
  await until(async () => {
    const server = await table.read(pid);
    const sockets = server ? await findSockets([], [server], ({ identity }) => table.environmentOf(identity)) : [];
    return sockets.includes(join(folder.path, `tmux-${uid}`, "default"));
  });
});

test("another user's tmux, and what is no tmux, are not asked where their socket is", async () => {
  await using folder = await aFolder();
  const socket = join(folder.path, "s");
  await aSocket(socket);
  const vim: ProcessEntry["program"] = { file: "/usr/bin/vim", packageName: undefined, args: [], isScript: false };
  const argv = ["tmux", "-S", socket];
  expect(
    await found(folder.path, [aTmuxProcess(argv, { uid: uid + 1 }), aTmuxProcess(argv, { program: vim }), aTmuxProcess(argv, { program: undefined })]),
  ).toEqual([]);
});

test("the sockets in this user's folder below TMUX_TMPDIR are found without any process", async () => {
  await using folder = await aFolder();
  await mkdir(join(folder.path, `tmux-${uid}`));
  for (const name of ["default", "work"]) await aSocket(join(folder.path, `tmux-${uid}`, name));
  await writeFile(join(folder.path, `tmux-${uid}`, "no socket"), "");
  withVariable("TMUX_TMPDIR", folder.path);
  expect(await found(folder.path, [])).toEqual([`tmux-${uid}/default`, `tmux-${uid}/work`]);
});

test("the server that this program itself runs in is found", async () => {
  await using folder = await aFolder();
  await aSocket(join(folder.path, "s,1"));
  await aSocket(join(folder.path, "s"));
  withVariable("TMUX", `${join(folder.path, "s")},4121,0`);
  expect(await found(folder.path, [])).toEqual(["s"]);
});

test("what the settings name is found if it is a socket, and told once under whatever names", async () => {
  await using folder = await aFolder();
  const socket = join(folder.path, "s");
  await aSocket(socket);
  await symlink(socket, join(folder.path, "link"));
  await writeFile(join(folder.path, "file"), "");
  const named = ["s", "link", "file", "absent"].map((name) => join(folder.path, name));
  const sockets = await findSockets([...named, ""], [aTmuxProcess(["tmux", "-S", socket])], nothingAround);
  expect(sockets.filter((path) => path.startsWith(folder.path))).toEqual([socket]);
});

test("somebody listens, or nobody", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  expect(await isListening(tmux.socket)).toBe(true);
  expect(await isListening(join(tmux.folder, "absent"))).toBe(false);
  process.kill(tmux.pid(), "SIGKILL");
  await until(async () => !(await isListening(tmux.socket)));
});

test("whether somebody listens can't be told without a descriptor: then nobody is taken for gone", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  const script = `import { closeSync, openSync } from "node:fs"; import { isListening } from "${new URL("../../../../src/system/listening.ts", import.meta.url).href}";
    const taken = []; try { for (;;) taken.push(openSync("/dev/null")); } catch {}
    const listens = await isListening(process.argv[1]); taken.forEach(closeSync); console.log(listens);`;
  const looks = await startChild(["sh", "-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", script, tmux.socket]);
  await looks.ended;
  expect(looks.said()).toBe("true\n");
});

test("a server that hangs listens all the same, however many have asked it before", async () => {
  await using tmux = await aTmux();
  tmux.run("new-session", "-d", "sleep", "60");
  const server = tmux.pid();
  process.kill(server, "SIGSTOP");
  try {
    for (let times = 0; times < 200; times++) expect(await isListening(tmux.socket)).toBe(true);
  } finally {
    process.kill(server, "SIGCONT");
  }
});

function withVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
