import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Program } from "../core/census.ts";
import { isAbsence, readIfPresent } from "./files.ts";

/** Where the files of a process lie, if not simply here. */
interface Lying {
  /** Its root directory as it is reached from here, for a process that sees other files than we do. */
  readonly root?: string;
  /** The executable was removed since. */
  readonly isDeleted?: boolean;
}

/** What a process really executes: the script where an interpreter runs one, else the executable; with the name in the nearest package.json above it. Rejects where these files are there and can't be read. */
export async function programOf(
  executable: string,
  argv: readonly string[],
  cwd: string | undefined,
  { root = "", isDeleted = false }: Lying = {},
): Promise<Program | undefined> {
  if (!interpreters.has(basename(executable))) {
    const packageName = (isDeleted ? packageNameIn(executable) : undefined) ?? (await packageNameAbove(executable, root));
    return { file: executable, packageName, args: argv.slice(1), isScript: false };
  }
  const index = scriptIndex(argv);
  const script = index === undefined ? undefined : argv[index];
  if (index === undefined || script === undefined) return undefined;
  const file = await realPathOf(resolve(cwd ?? "/", script), root);
  return file === undefined ? undefined : { file, packageName: await packageNameAbove(file, root), args: argv.slice(index + 1), isScript: true };
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

/** npm moves a package aside as `.name-` and 8 letters, puts the new one in its place, and removes the old one, which may still be executed. */
function packageNameIn(path: string): string | undefined {
  const [, scope = "", folder = ""] = /^.*\/node_modules\/(@[^/]+\/)?([^@/][^/]*)\//.exec(path) ?? [];
  const name = /^\.(.+)-[A-Za-z0-9]{8}$/.exec(folder)?.[1] ?? folder;
  return name === "" || name.startsWith(".") ? undefined : scope + name;
}

const names = new Map<string, Promise<string | undefined>>();

/** Stops at a node_modules folder: what lies above belongs to somebody else. */
function packageNameAbove(file: string, root: string): Promise<string | undefined> {
  const folder = dirname(file);
  // The way to another root leads through a pid, which may be another's tomorrow.
  if (root !== "") return lookUp(folder, root);
  const name = names.get(folder) ?? lookUp(folder, root);
  names.set(folder, name);
  // An install may still be under way: only a name that was found is kept.
  const forget = (): boolean => names.delete(folder);
  name.then((found) => found === undefined && forget(), forget);
  return name;
}

async function realPathOf(path: string, root: string): Promise<string | undefined> {
  try {
    return await (root === "" ? realpath(path) : realPathBelow(root, path));
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Link by link, since the kernel would follow one that begins with `/` from our own root. */
async function realPathBelow(root: string, path: string): Promise<string | undefined> {
  let real = "/";
  const left = path.split("/");
  for (let links = 0; links < 40;) {
    const name = left.shift();
    if (name === undefined) return real;
    const next = join(real, name);
    const target = await linkOf(root + next);
    if (target === undefined) real = next;
    else {
      links++;
      if (target.startsWith("/")) real = "/";
      left.unshift(...target.split("/"));
    }
  }
  return undefined;
}

async function linkOf(path: string): Promise<string | undefined> {
  return (await lstat(path)).isSymbolicLink() ? readlink(path) : undefined;
}

async function lookUp(start: string, root: string): Promise<string | undefined> {
  for (let folder = start, depth = 0; folder !== dirname(folder) && depth < 8; folder = dirname(folder), depth++) {
    const name = nameIn(await readIfPresent(join(root, folder, "package.json"), 1_000_000));
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
