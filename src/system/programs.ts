import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Program } from "../core/census.ts";
import { isAbsence, readIfPresent } from "./files.ts";

/** What a process really executes: the script where an interpreter runs one, else the executable; with the name in the nearest package.json above it. Rejects where these files are there and can't be read. */
export async function programOf(executable: string, argv: readonly string[], cwd: string | undefined): Promise<Program | undefined> {
  if (!interpreters.has(basename(executable)))
    return { file: executable, packageName: await packageNameAbove(executable), args: argv.slice(1), isScript: false };
  const index = scriptIndex(argv);
  const script = index === undefined ? undefined : argv[index];
  if (index === undefined || script === undefined) return undefined;
  const file = await realPathOf(resolve(cwd ?? "/", script));
  return file === undefined ? undefined : { file, packageName: await packageNameAbove(file), args: argv.slice(index + 1), isScript: true };
}
const interpreters = new Set(["node", "nodejs", "bun", "deno"]);

/** The first argument that is no option; none where the program text is given on the command line. */
function scriptIndex(argv: readonly string[]): number | undefined {
  for (let index = 1; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (!argument.startsWith("-")) return index;
    if (evaluating.has(argument.replace(/=.*$/s, ""))) return undefined;
    if (withValue.has(argument)) index++;
  }
  return undefined;
}
const evaluating = new Set(["-e", "-p", "-pe", "--eval", "--print", "-c", "--check", "-"]);
const withValue = new Set(["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"]);

const names = new Map<string, Promise<string | undefined>>();

/** Stops at a node_modules folder: what lies above belongs to somebody else. */
function packageNameAbove(file: string): Promise<string | undefined> {
  const folder = dirname(file);
  const name = names.get(folder) ?? lookUp(folder);
  names.set(folder, name);
  // An install may still be under way: only a name that was found is kept.
  const forget = (): boolean => names.delete(folder);
  name.then((found) => found === undefined && forget(), forget);
  return name;
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function lookUp(start: string): Promise<string | undefined> {
  for (let folder = start, depth = 0; folder !== dirname(folder) && depth < 8; folder = dirname(folder), depth++) {
    const name = nameIn(await readIfPresent(join(folder, "package.json"), 1_000_000));
    if (name !== undefined) return name;
    if (basename(folder) === "node_modules") return undefined;
  }
  return undefined;
}

function nameIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "name" in parsed && typeof parsed.name === "string" ? parsed.name : undefined;
  } catch {
    // Half-written or not JSON: no evidence.
    return undefined;
  }
}
