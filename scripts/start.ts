// npm start             the extension on a throw-away demo
// npm start -- --mine   the extension on your own sessions
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { buildProduct } from "./build.ts";
import { startDemo } from "./demo/demo.ts";
import { findDesktop } from "./desktop.ts";
import { endMarked, isAlive, markName, startersHere } from "./ownProcesses.ts";
import type { PrivatePlace } from "./privatePlace.ts";
import { makePrivatePlace } from "./privatePlace.ts";
import { root } from "./suites/run.ts";
import { installExtension } from "./webHost/install.ts";
import { startWebHost, urlOf } from "./webHost/server.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const isMine = process.argv.includes("--mine");
const leaving = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => leaving.abort());
leaveWithStarters();

if (!isMine && !existsSync("/proc/self/environ")) {
  console.error("The demo finds what it started in Linux's /proc. Here, `npm start -- --mine` shows your own sessions.");
  process.exit(1);
}
await buildProduct();
using place = makePrivatePlace();
if (isMine) await show(place, process.env["INIT_CWD"] ?? process.cwd(), {});
else await showDemo(place);

async function showDemo(place: PrivatePlace): Promise<void> {
  const mark = randomBytes(12).toString("hex");
  try {
    const demo = await startDemo(place, { ...place.env, [markName]: mark });
    const died = demo.letDie(leaving.signal);
    await show(place, place.workspace, demo.env);
    await died;
  } finally {
    console.log("Ending the demo …");
    await endMarked(mark);
  }
}

/** Resolves when the person has had enough: Ctrl-C, or the window closed. */
async function show(place: PrivatePlace, folder: string, env: Environment): Promise<void> {
  const desktop = findDesktop();
  if (desktop === undefined) await showInWebHost(place, folder, env);
  else await showOnDesktop(desktop, place, folder, env);
}

async function showInWebHost(place: PrivatePlace, folder: string, env: Environment): Promise<void> {
  const extensionsFolder = join(place.folder, "extensions");
  installExtension(extensionsFolder);
  await using host = await startWebHost({
    dataFolder: join(place.folder, "data"),
    extensionsFolder,
    token: randomBytes(16).toString("hex"),
    env,
    ends: isMine ? "host" : "all",
  });
  console.log(`\n${isMine ? "Your sessions" : "The demo"} in VS Code, in any browser of this machine (the shield at the left edge):\n`);
  console.log(urlOf(host, folder));
  console.log("\nCtrl-C ends it.");
  await left();
}

async function showOnDesktop(desktop: string, place: PrivatePlace, folder: string, env: Environment): Promise<void> {
  const places = [`--user-data-dir=${join(place.folder, "data")}`, `--extensions-dir=${join(place.folder, "extensions")}`];
  // Electron's own sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const args = ["--new-window", "--skip-welcome", "--disable-updates", "--disable-workspace-trust", `--extensionDevelopmentPath=${root.replace(/\/$/, "")}`];
  console.log(`${isMine ? "Your sessions" : "The demo"} in ${desktop}. Ctrl-C, or closing the window, ends it.`);
  await execa(desktop, [...places, ...sandbox, ...args, folder], { env, stdio: "ignore", reject: false, cancelSignal: leaving.signal });
}

async function left(): Promise<void> {
  if (leaving.signal.aborted) return;
  await new Promise((resolve) => leaving.signal.addEventListener("abort", resolve, { once: true }));
}

/** A signal that ends npm alone does not reach this process: it leaves when one of those that were started with it is gone. */
function leaveWithStarters(): void {
  const starters = startersHere();
  setInterval(() => {
    if (!starters.every(isAlive)) leaving.abort();
  }, 500).unref();
}
