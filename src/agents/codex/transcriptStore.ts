import type { Store } from "../../core/store.ts";
import { blocked, lookAt } from "../../system/erase/confined.ts";
import { bytesOf, storesAt } from "../../system/erase/files.ts";
import { isAppServerThere, isThreadLoaded } from "./appServer.ts";
import { deleteByProgram } from "./deleteByProgram.ts";

/** The files that are one conversation's transcript, and how they go. */
export interface ItsTranscript {
  readonly home: string;
  readonly id: string;
  readonly name: string;
  /** At least one. */
  readonly paths: readonly string[];
  /** Codex deletes by the id alone: not where it could take a file that is another's. */
  readonly mayAskProgram: boolean;
  /** Takes away what Codex writes as it deletes. */
  readonly sweep: (signal: AbortSignal) => Promise<void>;
  /** As a store tells it: of what Codex itself deletes. */
  readonly mayRemain: () => Promise<string | undefined>;
}

/** By Codex itself, since a server of it may have the conversation open and would write it anew; then what that has left. */
export async function transcriptStore({ home, id, name, paths, mayAskProgram, sweep, mayRemain }: ItsTranscript): Promise<Store> {
  const areThere = async () => {
    const looks = await Promise.all(paths.map(async (path) => ({ path, target: await lookAt({ root: home, path }) })));
    return looks.filter(({ target }) => target.kind !== "absent");
  };
  const letGo = async (signal: AbortSignal): Promise<string | undefined> => {
    if ((await isThreadLoaded(home, id, signal)) === undefined && (await isAppServerThere(home))) return noAnswer;
    const why = mayAskProgram ? await deleteByProgram(id, home, signal) : undefined;
    return why ?? ((await isThreadLoaded(home, id, signal)) ? "Codex's background server still has it open, and would write it anew" : undefined);
  };
  return {
    name,
    path: paths[0] ?? home,
    bytes: (await Promise.all(paths.map(bytesOf))).reduce((sum, bytes) => sum + bytes, 0),
    belongsBecause:
      paths.length === 1
        ? "its name and its first line carry the id"
        : `its name and its first line carry the id, as those of ${paths.slice(1).join(" and ")} do`,
    async erase(signal) {
      const there = await areThere();
      if (there.length === 0) return { kind: "absent" };
      for (const { target } of there) {
        if (target.kind === "blocked") return target;
        if (target.kind !== "file") return blocked(`it is a ${target.kind === "link" ? "symbolic link" : "folder"}`);
      }
      const why = await letGo(signal);
      if (why !== undefined && (await areThere()).length > 0) return blocked(why);
      for (const { path } of there) {
        for (const store of await storesAt({ root: home, path, name, belongsBecause: "" })) {
          const outcome = await store.erase(signal);
          if (outcome.kind === "blocked") return outcome;
        }
      }
      await sweep(signal);
      return { kind: "erased" };
    },
    residue: async () => (await areThere()).map(({ path }) => path),
    mayRemain,
  };
}

const noAnswer = "Codex's background server may have it open, and does not answer";
