import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

// Loaded before a program: ends it at once, before or amid the n-th of its calls that change a file or a folder.
const [when, at] = (process.env["END_AT"] ?? "").split(" ");
let count = 0;

type Call = (this: unknown, ...args: unknown[]) => unknown;

await using handle = await fs.open(process.execPath);
counted(Object.getPrototypeOf(handle) as object, ["appendFile", "chmod", "chown", "sync"]);
counted(fs, ["rename", "rm"]);
const { open } = fs;
const opened = { open: (...args: Parameters<typeof open>) => open(...args) };
counted(opened, ["open"]);
fs.open = (...args) => (args[1] === "ax" ? opened.open(...args) : open(...args));
syncBuiltinESMExports();

function counted(calls: object, names: readonly string[]): void {
  for (const name of names) {
    const call = Reflect.get(calls, name) as Call;
    Reflect.set(calls, name, function (this: unknown, ...args: unknown[]) {
      const isIt = ++count === Number(at);
      if (isIt && when === "before") end();
      const answer = call.apply(this, args);
      if (isIt) end();
      return answer;
    });
  }
}

function end(): void {
  process.kill(process.pid, "SIGKILL");
}
