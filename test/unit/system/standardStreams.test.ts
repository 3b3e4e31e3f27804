import { expect, test } from "vitest";
import { standardStreamsAmong } from "../../../src/system/standardStreams.ts";
import { argvOf, allProcesses } from "../../real/support/processes.ts";
import { until } from "../../real/support/until.ts";
import { startChild } from "../../support/children.ts";

/** The pids of these commands in the pipeline of a shell, when all of them run. */
async function running(pipeline: string, ...commands: readonly string[]): Promise<readonly number[]> {
  const { pid } = await startChild(["sh", "-c", `${pipeline}; exit`], { stdio: "ignore" });
  const find = (command: string) => allProcesses().find((each) => each.ppid === pid && argvOf(each.pid).join(" ") === command)?.pid;
  return Promise.all(commands.map((command) => until(() => find(command))));
}

test("whoever writes to its input, or reads its output, is its client; what is of its own tree is not", async () => {
  const [writer = 0, reader = 0] = await running("sleep 7013 | cat - /dev/null", "sleep 7013", "cat - /dev/null");
  const isUsed = standardStreamsAmong([writer, reader, process.pid]);
  expect([await isUsed(reader, new Set([reader])), await isUsed(writer, new Set([writer]))]).toEqual([true, true]);
  const both = new Set([reader, writer]);
  expect([await isUsed(reader, both), await isUsed(writer, both)]).toEqual([false, false]);
});

test("a pipe whose other end nobody has is no client, though another writes to it as well", async () => {
  const { pid } = await startChild(["sh", "-c", "sh -c 'sleep 7014 & sleep 7015; exit' | true"], { stdio: "ignore" });
  const [one, other] = await until(() => {
    const found = allProcesses().filter((each) => ["sleep 7014", "sleep 7015"].includes(argvOf(each.pid).join(" ")));
    return found.length === 2 ? found.map((each) => each.pid) : undefined;
  });
  expect(await standardStreamsAmong([one ?? 0, other ?? 0, pid])(one ?? 0, new Set([one ?? 0]))).toBe(false);
});

test("a pair of sockets, as Node gives its children, has a client until that has closed its own", async () => {
  const { pid, process: child } = await startChild(["sleep", "7017"], { stdio: ["pipe", "pipe", "ignore"] });
  const isUsed = () => standardStreamsAmong([pid, process.pid])(pid, new Set([pid]));
  expect(await isUsed()).toBe(true);
  child.stdin?.destroy();
  child.stdout?.destroy();
  await until(async () => !(await isUsed()));
});
