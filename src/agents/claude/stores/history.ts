import { join } from "node:path";
import * as z from "zod";
import { foundBy } from "../../../core/store.ts";
import type { LeftAlone, Store } from "../../../core/store.ts";
import { blocked } from "../../../system/erase/confined.ts";
import { storesAt } from "../../../system/erase/files.ts";
import { lineStoresIn } from "../../../system/erase/lines.ts";
import { listIfPresent } from "../../../system/files.ts";
import { replacedBy } from "../../../system/leftTemps.ts";
import { findStats } from "../../../system/ownFile.ts";
import { parseJson } from "../../jsonText.ts";
import { seeLines } from "./seeLines.ts";

/** Its lines in the prompts that all conversations share, and before them what only they point to: without the lines nobody knows whose a paste was. */
export async function findHistory(home: string, id: string): Promise<{ readonly stores: readonly Store[]; readonly leftAlone: readonly LeftAlone[] }> {
  const pasted = await readPasted(home, id);
  const shared = [...pasted.own].filter((hash) => pasted.others.has(hash));
  const pastes = await Promise.all([...pasted.own].filter((hash) => !pasted.others.has(hash)).map((hash) => pasteStores(home, id, hash)));
  const files = await filesIn(home);
  const lines = await Promise.all(
    files.map((path) =>
      lineStoresIn({
        root: home,
        path,
        name: "its lines in the prompt history",
        belongsBecause: "each names the conversation's id",
        isIts: (line) => isPromptOf(line, id),
      }),
    ),
  );
  const leftAlone = [...shared.map((hash) => leftPaste(home, hash)), ...files.map((path) => leftLines(path, id))];
  return { stores: [...foundBy(files, pastes.flat()), ...lines.flat()], leftAlone: (await Promise.all(leftAlone)).flat() };
}

const prompt = z.object({
  sessionId: z.string().optional().catch(undefined),
  pastedContents: z.record(z.string(), z.object({ contentHash: z.string().optional().catch(undefined) }).catch({})).catch({}),
});
type Prompt = z.infer<typeof prompt>;

function promptIn(line: string): Prompt | undefined {
  return prompt.safeParse(parseJson(line)).data;
}

/** Also one that was cut off, as it is where its writer was killed, once it has told whose it is; not where another's is glued to it. */
function isPromptOf(line: string, id: string): boolean {
  if (!line.includes(id)) return false;
  if (parseJson(line) !== undefined) return promptIn(line)?.sessionId === id;
  // Within a text each of these quotation marks has a stroke before it.
  const named = [...line.matchAll(/[{,]"sessionId":"([^"\\]*)"/g)].map(([, named]) => named);
  return line.startsWith(begin) && line.lastIndexOf(begin) === 0 && named.length > 0 && named.every((each) => each === id);
}
const begin = '{"display":';

/** Lines that name it and stay. */
async function leftLines(path: string, id: string): Promise<readonly LeftAlone[]> {
  const are = new Set<"cutOff" | "others">();
  await seeLines(path, (line) => {
    if (line.includes(id) && !isPromptOf(line, id)) are.add(parseJson(line) === undefined ? "cutOff" : "others");
  });
  const left: LeftAlone[] = [];
  if (are.has("cutOff"))
    left.push({ name: "what was cut off in the prompt history", path, why: "it names the id, and whose it is can't be told", holds: "text" });
  if (are.has("others")) left.push({ name: "prompts of other conversations", path, why: "they name the id", holds: "id" });
  return left;
}

/** The file itself, and copies of it that a rewriting Claude Code was cut off at. */
async function filesIn(home: string): Promise<readonly string[]> {
  const names = (await listIfPresent(home)).filter((name) => /^history\.jsonl($|[.~])/.test(name));
  const found = await Promise.all(names.map(async (name) => ({ path: join(home, name), is: await findStats(join(home, name)) })));
  // Its lock is a folder. What a killed rewriting of ours has left is of the file that it was to replace, and goes with that one's lines.
  const files = found.filter(({ is }) => is !== undefined && !is.isDirectory()).map(({ path }) => replacedBy(path) ?? path);
  return [...new Set(files)];
}

interface Pasted {
  readonly own: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

async function readPasted(home: string, id: string): Promise<Pasted> {
  const own = new Set<string>();
  const others = new Set<string>();
  for (const path of await filesIn(home)) {
    await seeLines(path, (line) => {
      const told = isPromptOf(line, id) ? own : others;
      for (const hash of hashesIn(line)) told.add(hash);
    });
  }
  return { own, others };
}

/** Of a line that was cut off, or has another's glued to it, whatever it points to. */
function hashesIn(line: string): readonly string[] {
  const told = promptIn(line);
  const hashes = told
    ? Object.values(told.pastedContents).map(({ contentHash = "" }) => contentHash)
    : [...line.matchAll(/"contentHash":"([^"]*)"/g)].map(([, hash = ""]) => hash);
  return hashes.filter((hash) => /^[0-9a-f]+$/.test(hash));
}

async function pasteStores(home: string, id: string, hash: string): Promise<readonly Store[]> {
  const found = await storesAt({
    root: home,
    path: pathOf(home, hash),
    name: "text that was pasted into it",
    belongsBecause: "only its own prompts point to it",
  });
  return found.map((store) => ({
    ...store,
    async erase(signal) {
      const { others } = await readPasted(home, id);
      return others.has(hash) ? blocked("another conversation's prompt points to it by now") : store.erase(signal);
    },
  }));
}

async function leftPaste(home: string, hash: string): Promise<readonly LeftAlone[]> {
  const path = pathOf(home, hash);
  const why = "the same text was pasted into another conversation";
  return (await findStats(path)) ? [{ name: "text that was pasted into it", path, why, holds: "text" }] : [];
}

function pathOf(home: string, hash: string): string {
  return join(home, "paste-cache", `${hash}.txt`);
}
