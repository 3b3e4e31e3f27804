import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

const version = "4.139.1";
const folder = fileURLToPath(new URL("../../.vscode-test/web-host", import.meta.url));
const stamp = join(folder, ".ready");

export const webHostServer = join(folder, "node_modules/code-server/lib/vscode/out/server-main.js");

/** Installs VS Code's own server and web workbench, once; returns at once where that is done. */
export async function setUpWebHost(): Promise<void> {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === version) return;
  console.log("Setting up the web host (VS Code's server and workbench, once) …");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Without a package.json of its own npm would take the project's above it for the place to install to.
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  await npm(folder, ["install", `code-server@${version}`]);
  // Its install script would do this, and compile native modules that neither tests nor terminals need.
  await npm(join(folder, "node_modules/code-server/lib/vscode"), ["install", "--omit=dev"]);
  writeFileSync(stamp, version);
}

async function npm(cwd: string, args: readonly string[]): Promise<void> {
  await execa("npm", [...args, "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    stdout: "ignore",
    stderr: "inherit",
    stdin: "ignore",
  });
}
