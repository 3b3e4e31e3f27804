import { join } from "node:path";
import * as z from "zod";
import type { Kept, LeftAlone } from "../../core/store.ts";
import { lineStoresIn } from "../../system/erase/lines.ts";
import { readIfPresent } from "../../system/files.ts";
import { parseJson, parseJsonLines } from "../jsonText.ts";
import { isTypedElsewhere } from "./contents.ts";
import type { Contents } from "./contents.ts";
import { stateFolderIn } from "./home.ts";

/** What was typed in any window, without a session: lines that say what only this one was asked are its own. */
export async function keptPrompts(home: string, database: string, contents: Contents): Promise<Kept> {
  const folder = await stateFolderIn(home);
  if (folder === undefined) return { stores: [], leftAlone: [] };
  const path = join(folder, "prompt-history.jsonl");
  const lines = parseJsonLines(await readIfPresent(path, largestBytes)).flatMap((line) => historyLine.safeParse(line).data ?? []);
  const typed = [...new Set(lines.filter((line) => isAsked(line, contents)).flatMap(textsOf))];
  if (typed.length === 0) return { stores: [], leftAlone: [] };
  const left = (why: string): readonly LeftAlone[] => [{ name: "prompt history", path, why, holds: "text" }];
  const elsewhere = await isTypedElsewhere(database, contents, typed);
  if (!elsewhere) return { stores: [], leftAlone: left("it tells no ids, and the database can't be read") };

  const isOwn = (line: Line): boolean => isAsked(line, contents) && !textsOf(line).some((text) => elsewhere.has(text));
  const stores = await lineStoresIn({
    root: folder,
    path,
    name: "its prompts in the prompt history",
    belongsBecause: "it was asked them, and no other session was",
    isIts(text) {
      const line = historyLine.safeParse(parseJson(text)).data;
      return line !== undefined && isOwn(line);
    },
  });
  return { stores, leftAlone: elsewhere.size > 0 ? left("some of what it was asked another session was asked too") : [] };
}
const largestBytes = 16 * 1024 * 1024;

const historyLine = z.object({ input: z.string(), parts: z.array(z.object({ text: z.string().optional().catch(undefined) })).catch([]) });
type Line = z.infer<typeof historyLine>;

/** What was pasted stands beside the prompt, which holds a word for it. */
function isAsked(line: Line, { prompts }: Contents): boolean {
  const pasted = line.parts.flatMap(({ text }) => text || []);
  if (pasted.length > 0) return pasted.every((text) => prompts.some((prompt) => prompt.includes(text)));
  return prompts.includes(line.input) || prompts.includes(line.input.trim());
}

function textsOf({ input, parts }: Line): readonly string[] {
  const pasted = parts.flatMap(({ text }) => text || []);
  return pasted.length > 0 ? pasted : [input.trim()];
}
