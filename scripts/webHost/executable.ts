#!/usr/bin/env node
// Takes the arguments that @vscode/test-electron gives to a VS Code binary, runs the suite in the web host, and ends with its exit code.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { openPage } from "./page.ts";
import { startWebHost, urlOf } from "./server.ts";

const scratch = mkdtempSync(join(tmpdir(), "web-host-"));
/** Of interest only where something went wrong. */
const chatter: string[] = [];
const dataFolder = valueOf("user-data-dir") ?? join(scratch, "data");
try {
  process.exitCode = await run();
  if (process.exitCode !== 0) printLogs();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function run(): Promise<number> {
  const told = toldToLeave();
  await using host = await startWebHost({ dataFolder, extensionsFolder: valueOf("extensions-dir") ?? join(scratch, "extensions"), forTests: true });
  await using browser = await openPage();
  const ended = new Promise<number>((resolve) => void browser.page.exposeFunction("codeAutomationExit", resolve));
  await browser.page.exposeFunction("codeAutomationLog", (level: string, values: readonly unknown[]) => {
    const text = format(...values);
    if (isChatter(text)) chatter.push(text.split("\n")[0] ?? "");
    else console.log(level === "error" || level === "warn" ? `[${level}] ${text}` : text);
  });
  const crashed = new Promise<number>((resolve) => browser.page.once("crash", () => resolve(1)));
  const folder = process.argv.slice(2).find((argument) => !argument.startsWith("-")) ?? scratch;
  await browser.page.goto(urlOf(host, folder, { extension: required("extensionDevelopmentPath"), tests: required("extensionTestsPath") }));
  return await Promise.race([ended, crashed, told]);
}

/** The workbench's own remarks: on its connection, on services that it can't reach here, on native modules that are not compiled. */
function isChatter(text: string): boolean {
  return /^(Resolv|Creating a socket|\[remote-connection|\[reconnection)|Service Worker|AgentHost|ChatModelSelection|AccountPolicyGate|signed-in|builtin extensions|Canceled: Canceled|bindings file|native-watchdog/.test(
    text,
  );
}

function toldToLeave(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve(130));
  });
}

function printLogs(): void {
  console.error(`--- what the workbench said besides\n${chatter.join("\n")}`);
  const logs = join(dataFolder, "data/logs");
  for (const name of readdirSync(logs, { recursive: true, encoding: "utf8" })) {
    if (!/(remoteagent|remoteexthost)\.log$|Session Warden.*\.log$/.test(name)) continue;
    console.error(`--- ${name}\n${readFileSync(join(logs, name), "utf8").split("\n").slice(-60).join("\n")}`);
  }
}

function required(name: string): string {
  const value = valueOf(name);
  if (value === undefined) throw new Error(`The argument --${name}=… is missing.`);
  return value;
}

function valueOf(name: string): string | undefined {
  return process.argv
    .slice(2)
    .find((argument) => argument.startsWith(`--${name}=`))
    ?.slice(name.length + 3);
}
