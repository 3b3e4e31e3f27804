import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Agent } from "../../core/agent.ts";
import { listIfPresent } from "../../system/files.ts";
import { uuidPattern } from "../ids.ts";
import { parseJsonLines } from "../jsonText.ts";
import { createTailReader } from "../tails.ts";

/** Claude Code writes no transcript before the first prompt: an id alone can't be resumed. */
export const canResume: Agent["canResume"] = async ({ id, home = join(homedir(), ".claude") }, cwd) => {
  const found = await findTranscript(home, id, cwd);
  const seen = found ? "its transcript was found" : `no transcript of it was found in ${join(home, "projects")}`;
  return { value: found !== undefined, seen, at: Date.now() };
};

/** The last thing that the person asked, as it names the session where nobody gave it a name. */
export async function findLastPrompt(home: string, id: string, cwd: string | undefined): Promise<string | undefined> {
  const transcript = await findTranscript(home, id, cwd);
  return transcript === undefined ? undefined : lastPromptIn(transcript);
}

/** The name of the folder below `projects` for a new conversation begun in `cwd`. Folders of several cwds share a key, and a resumed conversation stays where it began. */
export function projectKey(cwd: string): string {
  const key = cwd.replace(/[^a-zA-Z0-9]/g, "-");
  if (key.length <= longestKey) return key;
  let hash = 0;
  for (let index = 0; index < cwd.length; index++) hash = (Math.imul(hash, 31) + cwd.charCodeAt(index)) | 0;
  return `${key.slice(0, longestKey)}-${Math.abs(hash).toString(36)}`;
}
const longestKey = 200;

/** Under the cwd's own key first: a resumed one lies under the key of where it began. */
async function findTranscript(home: string, id: string, cwd: string | undefined): Promise<string | undefined> {
  if (!uuidPattern.test(id)) return undefined;
  const projects = join(home, "projects");
  const own = cwd === undefined ? undefined : join(projects, projectKey(cwd), `${id}.jsonl`);
  if (own !== undefined && (await isFile(own))) return own;
  return findElsewhere(projects, `${id}.jsonl`);
}

/** All folders are looked through when one was added, or after a while; a session that has no transcript yet would else cost a look into each, each time. */
async function findElsewhere(projects: string, name: string): Promise<string | undefined> {
  const stamp = (await stat(projects).catch(() => undefined))?.mtimeMs;
  const known = looked.get(join(projects, name));
  if (known?.path !== undefined && (await isFile(known.path))) return known.path;
  if (known && known.path === undefined && known.stamp === stamp && Date.now() - known.at < missKeptMs) return undefined;

  const at = Date.now();
  const path = await findIn(projects, name);
  if (looked.size >= looksKept) looked.clear();
  looked.set(join(projects, name), { path, stamp, at });
  return path;
}
const looked = new Map<string, { readonly path: string | undefined; readonly stamp: number | undefined; readonly at: number }>();
const missKeptMs = 30_000;
const looksKept = 1_000;

async function findIn(projects: string, name: string): Promise<string | undefined> {
  for (const folder of await listIfPresent(projects)) {
    const path = join(projects, folder, name);
    if (await isFile(path)) return path;
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

const asked = z.union([
  z.object({ type: z.literal("last-prompt"), lastPrompt: z.string() }).transform(({ lastPrompt }) => lastPrompt),
  z
    .object({
      type: z.literal("user"),
      isMeta: z.literal(false).optional(),
      isSidechain: z.literal(false).optional(),
      message: z.object({ content: z.string() }),
    })
    .transform(({ message }) => message.content),
]);

const lastPromptIn = createTailReader<string | undefined>(64 * 1024, (tail, known) => {
  const texts = parseJsonLines(tail).flatMap((line) => asked.safeParse(line).data ?? []);
  // What a command prints is kept as a user's line of its own, in angle brackets.
  return texts.findLast((text) => text.trim() !== "" && !text.startsWith("<"))?.trim() ?? known;
});
