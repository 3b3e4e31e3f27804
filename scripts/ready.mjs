// Makes a fresh clone ready, then runs a script (of this folder, or by its path) on the Node that the project brings along.
//   node scripts/ready.mjs SCRIPT.ts [ARG …]
// Plain JavaScript on purpose: it is the only file that has to run on Node 20, before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const installed = join(root, "node_modules/.installed-lock");
const lock = readFileSync(join(root, "package-lock.json"), "utf8");

if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) {
  console.log("Installing what package-lock.json names …");
  run("npm", ["ci", "--loglevel=error"]);
  writeFileSync(installed, lock);
}
const [script, ...rest] = process.argv.slice(2);
run(join(root, "node_modules/.bin/node"), [resolve(root, "scripts", script), ...rest]);

function run(file, args) {
  const PATH = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
  // Ctrl-C reaches the child by itself (one foreground group); this process only has to outlive it.
  process.on("SIGINT", () => {});
  const { status, signal } = spawnSync(file, args, { stdio: "inherit", cwd: root, env: { ...process.env, PATH } });
  if (status !== 0) process.exit(status ?? (signal === "SIGINT" ? 130 : 1));
}
