import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Agent } from "../../core/agent.ts";
import { listIfPresent, readTail } from "../../system/files.ts";
import { uuidPattern } from "../ids.ts";
import { parseJsonLines } from "../jsonText.ts";

/** Claude Code writes no transcript before the first prompt: an id alone can't be resumed. */
export const canResume: Agent["canResume"] = async ({ id, home = join(homedir(), ".claude") }, cwd) => {
  const found = await findTranscript(home, id, cwd);
  const seen = found ? "its transcript was found" : `no transcript of it was found in ${join(home, "projects")}`;
  return { value: found !== undefined, seen, at: Date.now() };
};

/** The last thing that the person asked, as it names the session where nobody gave it a name. */
export async function findLastPrompt(home: string, id: string, cwd: string | undefined): Promise<string | undefined> {
  const transcript = await findTranscript(home, id, cwd);
  if (!transcript) return undefined;
  const stamp = `${transcript.size} ${transcript.mtimeMs}`;
  const known = prompts.get(transcript.path);
  if (known?.stamp === stamp) return known.prompt;

  const prompt = lastPromptIn(await readTail(transcript.path, tailBytes)) ?? known?.prompt;
  if (prompts.size >= promptsKept) prompts.clear();
  prompts.set(transcript.path, { stamp, prompt });
  return prompt;
}
const tailBytes = 64 * 1024;
const promptsKept = 1_000;
/** A transcript is read once for each change. */
const prompts = new Map<string, { readonly stamp: string; readonly prompt: string | undefined }>();

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
async function findTranscript(home: string, id: string, cwd: string | undefined): Promise<Transcript | undefined> {
  if (!uuidPattern.test(id)) return undefined;
  const projects = join(home, "projects");
  const own = cwd === undefined ? undefined : await transcriptAt(join(projects, projectKey(cwd), `${id}.jsonl`));
  if (own) return own;
  for (const folder of await listIfPresent(projects)) {
    const found = await transcriptAt(join(projects, folder, `${id}.jsonl`));
    if (found) return found;
  }
  return undefined;
}

interface Transcript {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

async function transcriptAt(path: string): Promise<Transcript | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? { path, size: found.size, mtimeMs: found.mtimeMs } : undefined;
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

function lastPromptIn(tail: string | undefined): string | undefined {
  const texts = parseJsonLines(tail).flatMap((line) => asked.safeParse(line).data ?? []);
  // What a command prints is kept as a user's line of its own, in angle brackets.
  return texts.findLast((text) => text.trim() !== "" && !text.startsWith("<"))?.trim();
}
