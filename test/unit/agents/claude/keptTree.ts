import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { claude } from "../../../../src/agents/claude/claude.ts";
import { projectKey } from "../../../../src/agents/claude/transcripts.ts";
import type { ConversationPlace } from "../../../../src/core/agent.ts";
import type { Kept } from "../../../../src/core/store.ts";
import { aFolder } from "../../../support/folder.ts";
import { noAbort } from "../seen.ts";

export const id = "660c5869-72ef-43d0-9e25-d2d868d4b84e";
export const neighbourId = "2fb6ad85-2d92-4ca3-ad0e-7b3e9ce12249";
export const words = "its-own-words";

/** A person's home with a config home in it, and a folder for temporary files; this process takes them for its own as long as the test lasts. */
export async function aPerson(): Promise<{ readonly path: string; readonly home: string; readonly cwd: string; readonly temporary: string } & AsyncDisposable> {
  const folder = await aFolder();
  const home = join(folder.path, "person/.claude");
  const temporary = join(folder.path, "tmp");
  const cwd = join(folder.path, "work/my_app");
  for (const each of [home, temporary, cwd]) mkdirSync(each, { recursive: true });
  vi.stubEnv("HOME", dirname(home));
  vi.stubEnv("TMPDIR", temporary);
  for (const name of ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_TMPDIR"]) vi.stubEnv(name, undefined);
  return {
    path: folder.path,
    home,
    cwd,
    temporary,
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** As `place` finds it; the home is known unless told otherwise. */
export function keptOf(place: Partial<ConversationPlace["conversation"]> & { readonly cwd?: string; readonly configHomes?: readonly string[] }): Promise<Kept> {
  const { cwd, configHomes = [], ...conversation } = place;
  if (!claude.stores) throw new Error("Claude Code has no stores.");
  return claude.stores({ conversation: { agent: "claude", id, toldBy: "agent", ...conversation }, cwd, configHomes }, noAbort);
}

export function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export const lines = (...values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** The words of a transcript of 2.1.332, cut short: what tells of a folder comes some lines below its beginning. */
export function transcriptOf(id: string, cwd: string | undefined, said: string): string {
  return lines(
    { type: "mode", mode: "normal", sessionId: id },
    { type: "file-history-snapshot", messageId: "85ee8c30", snapshot: { timestamp: "2026-11-29T23:57:46.700Z" } },
    { parentUuid: null, type: "user", message: { role: "user", content: `${said}\u2028` }, timestamp: "2026-11-29T23:57:46.697Z", cwd, sessionId: id },
    { type: "user", message: { role: "user", content: said }, cwd: cwd && "/somewhere/later", sessionId: id },
  );
}

export function promptLine(sessionId: string | undefined, display: string, ...hashes: readonly string[]): string {
  const pastedContents = Object.fromEntries(hashes.map((contentHash, at) => [String(at + 1), { id: at + 1, type: "text", contentHash }]));
  return lines({ display, pastedContents, timestamp: 1_795_996_666_699, project: "/work", sessionId });
}

/** What 2.1.332 leaves of a conversation in which everything was done that leaves something; below a config home, and below the folder for temporary files. */
export function keepConversation(home: string, temporary: string, of: { readonly id: string; readonly cwd: string; readonly said: string }): void {
  const { id, cwd, said } = of;
  const key = projectKey(cwd);
  const project = join(home, "projects", key);
  put(join(project, `${id}.jsonl`), transcriptOf(id, cwd, said));
  put(join(project, id, "subagents/agent-aaf87e2a0e8d68746.jsonl"), lines({ isSidechain: true, agentId: "aaf87e2a0e8d68746", cwd, sessionId: id, said }));
  put(join(project, id, "subagents/agent-aaf87e2a0e8d68746.meta.json"), "{}");
  put(join(project, id, "tool-results/bxnyyelvb.txt"), said);
  put(join(project, id, "custom-title.json"), JSON.stringify({ customTitle: said }));
  put(join(project, "memory/notes.md"), "of the project");
  put(join(home, "file-history", id, "bb3ec57fdca9ac14@v2"), said);
  put(join(home, "session-env", id, "sessionstart-hook-0.sh"), `export SAID=${said}`);
  put(join(home, "tasks", id, "1.json"), said);
  put(join(home, "tasks", id, ".lock"), "");
  put(join(home, "todos", `${id}-agent-${id}.json`), said);
  put(join(home, "debug", `${id}.txt`), said);
  appendFileSync(join(home, "history.jsonl"), promptLine(id, said));
  put(join(temporary, `claude-${process.getuid?.()}`, key, id, "tasks/bkjm53yoc.output"), said);
}
