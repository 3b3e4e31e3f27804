import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { programOf } from "../../../src/system/programs.ts";
import { aFolder } from "../../support/folder.ts";

async function put(path: string, text = ""): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}
const packageJson = (name: string) => JSON.stringify({ name });

test("an executable is itself, with the name of the package that it lies in", async () => {
  await using folder = await aFolder();
  const file = await put(join(folder.path, "node_modules/@anthropic-ai/claude-code/bin/claude.exe"));
  await put(join(folder.path, "node_modules/@anthropic-ai/claude-code/package.json"), packageJson("@anthropic-ai/claude-code"));
  expect(await programOf(file, ["claude", "--resume", "x"], "/")).toEqual({
    file,
    packageName: "@anthropic-ai/claude-code",
    args: ["--resume", "x"],
    isScript: false,
  });
});

test("where an interpreter runs a script, the program is the script, by its real path", async () => {
  await using folder = await aFolder();
  const script = await put(join(folder.path, "lib/node_modules/@google/gemini-cli/bundle/gemini.js"));
  await put(join(folder.path, "lib/node_modules/@google/gemini-cli/package.json"), packageJson("@google/gemini-cli"));
  await mkdir(join(folder.path, "bin"));
  await symlink(script, join(folder.path, "bin/gemini"));
  expect(await programOf("/usr/bin/node", ["node", join(folder.path, "bin/gemini"), "-p", "hello"], "/")).toEqual({
    file: await realpath(script),
    packageName: "@google/gemini-cli",
    args: ["-p", "hello"],
    isScript: true,
  });
});

test("a script that was named without a folder lies in the process's own", async () => {
  await using folder = await aFolder();
  const script = await put(join(folder.path, "gemini.js"));
  expect((await programOf("/usr/bin/node", ["node", "gemini.js"], folder.path))?.file).toBe(script);
});

test.each([
  ["node", ["node", "--max-old-space-size=4096", "SCRIPT", "-e"], ["-e"]],
  ["nodejs", ["node", "-r", "./hook.js", "--import", "x", "SCRIPT"], []],
  ["node", ["node", "--env-file", ".env", "-C", "dev", "SCRIPT", "a"], ["a"]],
  ["bun", ["bun", "SCRIPT"], []],
  ["node", ["node", "--inspect", "SCRIPT", "--eval"], ["--eval"]],
])("%s: the script comes after the interpreter's own options: %j", async (interpreter, argv, args) => {
  await using folder = await aFolder();
  const script = await put(join(folder.path, "agent.js"));
  const program = await programOf(
    `/usr/bin/${interpreter}`,
    argv.map((word) => (word === "SCRIPT" ? script : word)),
    "/",
  );
  expect(program).toMatchObject({ file: script, args, isScript: true });
});

test.each([
  ["-e", "SCRIPT"],
  ["-p", "SCRIPT"],
  ["--eval", "SCRIPT"],
  ["--eval=1", "SCRIPT"],
  ["--print=1", "SCRIPT"],
  ["-pe", "SCRIPT"],
  ["--check", "SCRIPT"],
  ["-", "SCRIPT"],
  ["-i"],
  [],
])("an interpreter that runs no script is no program of anybody's: %s %s", async (...argv) => {
  await using folder = await aFolder();
  const script = await put(join(folder.path, "agent.js"));
  expect(await programOf("/usr/bin/node", ["node", ...argv.map((word) => (word === "SCRIPT" ? script : word))], "/")).toBeUndefined();
});

test("a script that is not there any more is nobody's", async () => {
  expect(await programOf("/usr/bin/node", ["node", "/no/such/script.js"], "/")).toBeUndefined();
});

test("the nearest package.json with a name counts", async () => {
  await using folder = await aFolder();
  const file = await put(join(folder.path, "outer/bin/inner/deep/program"));
  await put(join(folder.path, "outer/package.json"), packageJson("outer"));
  await put(join(folder.path, "outer/bin/package.json"), JSON.stringify({ type: "commonjs" }));
  expect((await programOf(file, ["program"], "/"))?.packageName).toBe("outer");
});

test("what lies above a node_modules folder is somebody else's", async () => {
  await using folder = await aFolder();
  const file = await put(join(folder.path, "node_modules/.bin/program"));
  await put(join(folder.path, "package.json"), packageJson("@anthropic-ai/claude-code"));
  expect((await programOf(file, ["program"], "/"))?.packageName).toBeUndefined();
});

test.each(["{", "[]", "null", '{"name":7}', ""])("a package.json that holds %j names nobody", async (text) => {
  await using folder = await aFolder();
  const file = await put(join(folder.path, "program"));
  await put(join(folder.path, "package.json"), text);
  expect((await programOf(file, ["program"], "/"))?.packageName).toBeUndefined();
});

test("a package that is still being installed has its name as soon as it is there", async () => {
  await using folder = await aFolder();
  const file = await put(join(folder.path, "package/program"));
  expect((await programOf(file, ["program"], "/"))?.packageName).toBeUndefined();
  await put(join(folder.path, "package/package.json"), packageJson("cline"));
  expect((await programOf(file, ["program"], "/"))?.packageName).toBe("cline");
  await rm(join(folder.path, "package/package.json"));
});

test.each([
  ["node_modules/@openai/.codex-linux-x64-AbCd1234/vendor/bin/codex", "@openai/codex-linux-x64"],
  ["node_modules/@openai/.codex-AbCd1234/node_modules/@openai/codex-linux-x64/vendor/bin/codex", "@openai/codex-linux-x64"],
  ["node_modules/@openai/codex-linux-x64/vendor/bin/codex", "@openai/codex-linux-x64"],
  ["node_modules/.opencode-ai-aB3dE6gH/bin/opencode", "opencode-ai"],
  ["node_modules/.bin/codex", undefined],
  ["node_modules/@openai/codex", undefined],
  ["codex", undefined],
])("an update has removed %s under the process that runs it: it was of %s", async (path, packageName) => {
  await using folder = await aFolder();
  const program = await programOf(join(folder.path, path), ["codex"], "/", { isDeleted: true });
  expect(program).toEqual({ file: join(folder.path, path), packageName, args: [], isScript: false });
});

test("a path like that of a removed package names nobody while it is there", async () => {
  await using folder = await aFolder();
  const file = await put(join(folder.path, "node_modules/.codex-AbCd1234/codex"));
  expect((await programOf(file, ["codex"], "/"))?.packageName).toBeUndefined();
});

test("in a container, script and package are those of the container, whatever its links", async () => {
  await using root = await aFolder();
  const script = await put(join(root.path, "opt/agents/node_modules/@google/gemini-cli/bundle/gemini.js"));
  await put(join(root.path, "opt/agents/node_modules/@google/gemini-cli/package.json"), packageJson("@google/gemini-cli"));
  await mkdir(join(root.path, "usr/bin"), { recursive: true });
  await symlink("/opt/agents", join(root.path, "usr/lib"));
  await symlink("../lib/node_modules/@google/gemini-cli/bundle/gemini.js", join(root.path, "usr/bin/gemini"));
  const inside = script.slice(root.path.length);
  const program = { file: inside, packageName: "@google/gemini-cli", args: ["-p"], isScript: true };
  expect(await programOf("/usr/bin/node", ["node", "/usr/bin/gemini", "-p"], "/", { root: root.path })).toEqual(program);
  expect(await programOf("/usr/bin/node", ["node", "gemini", "-p"], "/usr/bin", { root: root.path })).toEqual(program);
});

test("in a container, a file of ours with the same path says nothing", async () => {
  await using root = await aFolder();
  await using ours = await aFolder();
  const file = await put(join(ours.path, "claude"));
  const script = await put(join(ours.path, "cli.js"));
  await put(join(ours.path, "package.json"), packageJson("@anthropic-ai/claude-code"));
  expect((await programOf(file, ["claude"], "/", { root: root.path }))?.packageName).toBeUndefined();
  expect(await programOf("/usr/bin/node", ["node", script], "/", { root: root.path })).toBeUndefined();
});

test("links in a circle are no script", async () => {
  await using root = await aFolder();
  await symlink("/b", join(root.path, "a"));
  await symlink("/a", join(root.path, "b"));
  expect(await programOf("/usr/bin/node", ["node", "/a"], "/", { root: root.path })).toBeUndefined();
});
