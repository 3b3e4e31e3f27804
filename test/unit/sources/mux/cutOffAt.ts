import childProcess from "node:child_process";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import Sqlite from "better-sqlite3";

// Loaded before a program: ends it at once, before, in the midst of or after the n-th of its calls that reach a file, a process or a database.
const [when, at] = (process.env["CUT_OFF"] ?? "").split(" ");
let count = 0;

type Call = (this: unknown, ...args: unknown[]) => unknown;

replaceAll(fs, Object.keys(fs));
await using handle = await fs.open(process.execPath);
const handles = Object.getPrototypeOf(handle) as object;
replaceAll(handles, ["chmod", "read", "readFile", "stat", "sync", "datasync", "truncate", "write", "writeFile", "writev"]);
const { open } = fs;
fs.open = async (...args) => {
  const file = await open(...args);
  // Its own, not its prototype's.
  replaceAll(file, ["close"]);
  return file;
};
replaceAll(childProcess, ["spawn"]);
syncBuiltinESMExports();

const database = new Sqlite(":memory:");
replaceAll(Object.getPrototypeOf(database.prepare("SELECT 1")) as object, ["run"]);
database.close();
replaceAll(Sqlite.prototype, ["exec", "close"]);
count = 0;

function replaceAll(calls: object, names: readonly string[]): void {
  for (const name of names) {
    const call: unknown = Reflect.get(calls, name);
    if (typeof call === "function") Reflect.set(calls, name, counted(call as Call));
  }
}

function counted(call: Call): Call {
  return function (this: unknown, ...args) {
    const mine = ++count;
    if (when === "before" && mine === Number(at)) end();
    const answer = call.apply(this, args);
    if (mine !== Number(at)) return answer;
    if (when === "amid") end();
    return answer instanceof Promise ? answer.finally(end) : end();
  };
}

function end(): void {
  process.kill(process.pid, "SIGKILL");
}
