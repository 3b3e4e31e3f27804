import { copyFile, mkdir, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openLinuxProcesses } from "../../../src/system/linuxProcesses.ts";
import { startChild } from "../../support/children.ts";
import { aFolder } from "../../support/folder.ts";
import { until } from "../../real/support/until.ts";

const { signal } = new AbortController();
const stat = `4121 (claude) S 4000 4121 3999 34816 4121 4194304 1 0 0 0 3 1 0 0 20 0 11 0 8812345 ${"7 ".repeat(30)}\n`;

test("without a descriptor left nobody is gone: the look fails, and the next one tells all", async () => {
  const { pid } = await startChild(["sleep", "60"]);
  const script = fileURLToPath(new URL("fullOfDescriptors.ts", import.meta.url));
  const looks = await startChild(["sh", "-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, script, String(pid)]);
  await looks.ended;
  expect(looks.said()).toBe("Error: EMFILE, Error: EMFILE, Error: EMFILE, there\n");
});

test("hundreds of processes are read with a hundred descriptors", async () => {
  const crowd = await startChild(["sh", "-c", "for each in $(seq 300); do sleep 60 & done; echo ready; wait"]);
  await until(() => crowd.said() === "ready\n");
  const script = `import { openLinuxProcesses } from "${new URL("../../../src/system/linuxProcesses.ts", import.meta.url).href}";
    const all = await (await openLinuxProcesses()).readAll(); console.log([...all.values()].filter(({ parentPid }) => parentPid === ${crowd.pid}).length);`;
  const looks = await startChild(["sh", "-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", script]);
  await looks.ended;
  expect(looks.said()).toBe("300\n");
});

/** One process, as files of a folder. */
async function aProc(pid: number, files: Readonly<Record<string, string>>): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await aFolder();
  await mkdir(join(folder.path, String(pid)));
  for (const [name, text] of Object.entries({ stat: stat, cmdline: "claude\0", ...files })) await writeFile(join(folder.path, String(pid), name), text);
  return folder;
}

test("a process that can't be read for another reason than that it is gone fails the look", async () => {
  await using proc = await aProc(4121, {});
  await rm(join(proc.path, "4121/stat"));
  await mkdir(join(proc.path, "4121/stat"));
  const fails = await openLinuxProcesses(proc.path);
  await expect(fails.readAll(signal)).rejects.toThrow("EISDIR");
  await expect(fails.read(4121)).rejects.toThrow("EISDIR");
});

test("a process of which nothing may be read is there, and its start is not told", async () => {
  await using proc = await aProc(4121, { stat: "" });
  expect(await (await openLinuxProcesses(proc.path)).read(4121)).toMatchObject({ identity: { pid: 4121, start: { kind: "untold" } }, uid: -1, argv: [] });
});

test("what was read in half is read again", async () => {
  await using proc = await aProc(4121, {});
  await symlink("/usr/bin/claude", join(proc.path, "4121/exe"));
  await rm(join(proc.path, "4121/cmdline"));
  await mkdir(join(proc.path, "4121/cmdline"));
  const half = await openLinuxProcesses(proc.path);
  await expect(half.readAll(signal)).rejects.toThrow("EISDIR");
  await rmdir(join(proc.path, "4121/cmdline"));
  await writeFile(join(proc.path, "4121/cmdline"), "claude\0--resume\0");
  expect((await half.readAll(signal)).get(4121)?.program).toMatchObject({ file: "/usr/bin/claude", args: ["--resume"] });
});

test("a process whose own files fail takes no other with it, and is looked at again", async () => {
  await using proc = await aProc(4121, { cmdline: "node\0agent.js\0" });
  await symlink("/usr/bin/node", join(proc.path, "4121/exe"));
  // A name that no file system takes is no absence.
  await symlink(`/${"x".repeat(300)}`, join(proc.path, "4121/cwd"));
  const half = await openLinuxProcesses(proc.path);
  expect(await half.read(4121)).toMatchObject({ argv: ["node", "agent.js"], program: undefined });
  await using folder = await aFolder();
  await writeFile(join(folder.path, "agent.js"), "");
  await rm(join(proc.path, "4121/cwd"));
  await symlink(folder.path, join(proc.path, "4121/cwd"));
  expect((await half.read(4121))?.program?.file).toBe(join(folder.path, "agent.js"));
});

test("the program of a process that sees other files than we do is looked for among those", async () => {
  await using proc = await aProc(4121, { cmdline: "claude\0" });
  const at = (...names: readonly string[]): string => join(proc.path, "4121", ...names);
  await mkdir(at("ns"));
  await symlink("mnt:[4026999999]", at("ns", "mnt"));
  await mkdir(at("root", "app", "bin"), { recursive: true });
  await writeFile(at("root", "app", "package.json"), '{"name":"@anthropic-ai/claude-code"}');
  await symlink("/app/bin/claude", at("exe"));
  expect((await (await openLinuxProcesses(proc.path)).read(4121))?.program).toMatchObject({
    file: "/app/bin/claude",
    packageName: "@anthropic-ai/claude-code",
  });
});

test("a program that an update has removed under its process keeps the name of its package", async () => {
  await using folder = await aFolder();
  const retired = join(folder.path, "node_modules/@openai/.codex-linux-x64-AbCd1234");
  await mkdir(retired, { recursive: true });
  await copyFile("/bin/sleep", join(retired, "codex"));
  const { pid } = await startChild([join(retired, "codex"), "60"]);
  await rm(retired, { recursive: true });
  expect((await (await openLinuxProcesses()).read(pid))?.program).toMatchObject({ file: join(retired, "codex"), packageName: "@openai/codex-linux-x64" });
});

test.each(["absent", "."])("a system without processes in /proc is said to be none of ours (%s)", async (place) => {
  await using folder = await aFolder();
  const table = await openLinuxProcesses(join(folder.path, place));
  await expect(table.readAll(signal)).rejects.toThrow("this system is not supported: sessions are seen on Linux, by way of /proc, and on macOS");
});
