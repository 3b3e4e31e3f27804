import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endMarked, markName } from "../../../scripts/ownProcesses.ts";
import { run } from "../../../src/system/run.ts";
import { until } from "../../real/support/until.ts";
import { aFolder } from "../../support/folder.ts";

const node = (program: string) => [process.execPath, "-e", program] as const;

test("what a program says and how it ends is an outcome, whichever way", async () => {
  const outcome = await run(node("console.log('out'); console.error('err'); process.exitCode = 3"), { withinMs: 10_000 });
  expect(outcome).toEqual({ kind: "exited", code: 3, stdout: "out\n", stderr: "err\n" });
});

test("words reach the program as they are: nothing is read by a shell", async () => {
  const words = ["$HOME", "`id`", "a b", "'", ";", "*", ""];
  const outcome = await run([...node("console.log(JSON.stringify(process.argv.slice(1)))"), "--", ...words], { withinMs: 10_000 });
  expect(outcome.kind === "exited" && JSON.parse(outcome.stdout)).toEqual(words);
});

test("variables are added to our own", async () => {
  const outcome = await run(node("console.log(process.env.WARDEN_TEST, process.env.PATH !== undefined)"), { withinMs: 10_000, env: { WARDEN_TEST: "yes" } });
  expect(outcome).toMatchObject({ stdout: "yes true\n" });
});

test("a program that is not there, or may not be run, is missing", async () => {
  await using folder = await aFolder();
  const file = join(folder.path, "program");
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, 0o644);
  expect(await run(["no-such-program-anywhere"], { withinMs: 1_000 })).toEqual({ kind: "missing" });
  expect(await run([file], { withinMs: 1_000 })).toEqual({ kind: "missing" });
});

test("a program that does not end is ended by its bound, though it hears no polite request", async () => {
  const begun = Date.now();
  const outcome = await run(node("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"), { withinMs: 500 });
  expect(outcome).toEqual({ kind: "timedOut" });
  expect(Date.now() - begun).toBeLessThan(5_000);
});

/** Marked, so that what it leaves running ends with the test. */
function marked(): Readonly<Record<string, string>> {
  const mark = crypto.randomUUID();
  onTestFinished(() => endMarked(mark, { graceMs: 0 }));
  return { [markName]: mark };
}

test.each([
  ["goes on itself", "sleep 600 & sleep 600"],
  ["has ended", "sleep 600 &"],
])("a program whose child holds its pipes open is bound all the same, where it %s", async (_where, script) => {
  const begun = Date.now();
  expect(await run(["sh", "-c", script], { withinMs: 500, env: marked() })).toEqual({ kind: "timedOut" });
  expect(Date.now() - begun).toBeLessThan(5_000);
});

test("a cancelled wait does not wait for who holds its pipes open", async () => {
  await using folder = await aFolder();
  const begun = join(folder.path, "begun");
  const abort = new AbortController();
  const running = run(["sh", "-c", "sleep 600 & touch begun; sleep 600"], { withinMs: 60_000, env: marked(), signal: abort.signal, cwd: folder.path });
  await until(() => existsSync(begun));
  abort.abort(new Error("not wanted any more"));
  await expect(running).rejects.toThrow("not wanted any more");
});

test("what is cancelled at once is not begun", async () => {
  await using folder = await aFolder();
  const abort = new AbortController();
  const running = run(["touch", "begun"], { withinMs: 60_000, signal: abort.signal, cwd: folder.path });
  abort.abort(new Error("not wanted any more"));
  await expect(running).rejects.toThrow("not wanted any more");
  expect(existsSync(join(folder.path, "begun"))).toBe(false);
});

test("a program that waits for input gets none, and ends", async () => {
  expect(await run(["cat"], { withinMs: 10_000 })).toMatchObject({ kind: "exited", code: 0, stdout: "" });
});

test("only a cancelled wait throws", async () => {
  const abort = new AbortController();
  const running = run(node("setInterval(() => {}, 1000)"), { withinMs: 10_000, signal: abort.signal });
  abort.abort(new Error("not wanted any more"));
  await expect(running).rejects.toThrow("not wanted any more");
});

test("a program that is killed has not succeeded", async () => {
  expect(await run(node("process.kill(process.pid, 'SIGKILL')"), { withinMs: 10_000 })).toMatchObject({
    kind: "exited",
    code: 255,
    stderr: expect.stringContaining("SIGKILL"),
  });
});

test("a program that could not be started for another reason says which, and has not said no", async () => {
  const outcome = await run(["echo", "x".repeat(3_000_000)], { withinMs: 20_000 });
  expect(outcome).toMatchObject({ kind: "exited", code: 255, stdout: "", stderr: expect.stringContaining("E2BIG") });
});
