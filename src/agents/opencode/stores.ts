import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import { foundBy } from "../../core/store.ts";
import type { Kept, LeftAlone, Store } from "../../core/store.ts";
import { blocked } from "../../system/erase/confined.ts";
import { storesAt } from "../../system/erase/files.ts";
import { mayRemainIn } from "../../system/erase/remains.ts";
import { unreadableBelow } from "../../system/erase/unreadable.ts";
import { listIfPresent } from "../../system/files.ts";
import { findStats } from "../../system/ownFile.ts";
import { emptyLog } from "../../system/sqlite.ts";
import { keptInHomes } from "../homes.ts";
import { contentsIn, rowsLeft } from "./contents.ts";
import type { Contents, ContentsRead } from "./contents.ts";
import { configHomeOf, databaseIn, idPattern } from "./home.ts";
import { keptLogLines } from "./logs.ts";
import { mentionsBelow } from "../mentions.ts";
import { oldStores } from "./oldStorage.ts";
import { byHand, deleteByOpencode } from "./ownDelete.ts";
import { keptPrompts } from "./promptHistory.ts";

/** What its rows lead to goes before them, and they are never written by us: a server that lists it deletes them, else OpenCode's own command. */
export const storesOf: NonNullable<Agent["stores"]> = async (of, signal) => {
  const { id } = of.conversation;
  if (!idPattern.test(id)) return { stores: [], leftAlone: [] };
  return keptInHomes(of, configHomeOf, signal, (home) => keptIn(home, id, of.isServed ?? false));
};

async function keptIn(home: string, id: string, isServed: boolean): Promise<Kept> {
  const database = await databaseIn(home);
  const read: ContentsRead = database === undefined ? { kind: "none" } : await contentsIn(database, id);
  const contents = read.kind === "read" ? read.contents : undefined;
  const family = contents?.family ?? [id];
  const prompts = database !== undefined && contents ? await keptPrompts(home, database, contents) : none;
  const logs = await keptLogLines(home, database, family, contents);
  const old = await Promise.all(family.map((each) => oldStores(home, each)));
  const stores = [
    ...foundBy(database === undefined ? [] : [database], [...(contents ? await outputStores(home, contents) : []), ...logs.ofTools, ...prompts.stores]),
    ...old.flat(),
    ...(database !== undefined && !isServed ? rowStores(home, database, id, read) : []),
    // Its own command may write to them.
    ...logs.named,
  ];
  const leftAlone = [
    ...(contents ? [...sharedOutputs(home, contents), ...(await namelessOutputs(home, contents))] : []),
    ...prompts.leftAlone,
    ...logs.leftAlone,
  ];
  const known = [...stores, ...leftAlone, ...(database === undefined ? [] : [{ path: database }])];
  const others = await mentionsBelow(
    { home, id, since: contents?.span?.from, except: /^(bin|repos|snapshot)$/, ofOthers: /^(storage|tool-output|log)\// },
    known,
  );
  return {
    stores,
    leftAlone: [...leftAlone, ...others, ...(await placesThatCannotBeRead(home, [...stores, ...leftAlone]))],
    family: family.filter((each) => each !== id),
  };
}

/** The folders that it keeps sessions in; copies of the files that it worked on lie beside them, which are many. */
async function placesThatCannotBeRead(home: string, known: readonly { readonly path: string }[]): Promise<readonly LeftAlone[]> {
  const folders = ["log", "storage", "tool-output"].map((name) => join(home, name));
  return [...(await unreadableBelow(home, known, 1)), ...(await Promise.all(folders.map((folder) => unreadableBelow(folder, known)))).flat()];
}
const none: Kept = { stores: [], leftAlone: [] };

async function outputStores(home: string, { outputs, sharedOutputs }: Contents): Promise<readonly Store[]> {
  const own = [...outputs].filter((name) => !sharedOutputs.has(name));
  const at = (name: string) =>
    storesAt({
      root: home,
      path: join(home, "tool-output", name),
      name: "a long output of a tool",
      belongsBecause: "the session names it, and no other does",
    });
  return (await Promise.all(own.map(at))).flat();
}

function sharedOutputs(home: string, contents: Contents): readonly LeftAlone[] {
  const path = (name: string) => join(home, "tool-output", name);
  return [...contents.sharedOutputs].map((name) => ({
    name: "a long output of a tool",
    path: path(name),
    why: "another session names it too, such as one that was forked from this",
    holds: "text",
  }));
}

/** Of a tool that was cut off a row never names the output: it was written while the session was at work, as that of another may have been. */
async function namelessOutputs(home: string, { namedOutputs, span }: Contents): Promise<readonly LeftAlone[]> {
  const folder = join(home, "tool-output");
  const nameless = (await listIfPresent(folder)).filter((name) => !namedOutputs.has(name)).map((name) => join(folder, name));
  const found = await Promise.all(nameless.map(async (path) => ({ path, at: Number((await findStats(path))?.mtimeMs ?? 0) })));
  return found
    .filter(({ at }) => span === undefined || (at >= span.from && at <= span.to + cutOffWithinMs))
    .map(({ path }) => ({
      name: "a long output of a tool",
      path,
      why: "no session names it, and it was written when this one was at work, as by a tool that was cut off",
      holds: "text",
    }));
}
/** How long a tool may have run since its session was last written. */
const cutOffWithinMs = 10 * 60 * 1000;

function rowStores(home: string, database: string, id: string, read: ContentsRead): readonly Store[] {
  if (read.kind === "none") return [];
  const { family, rows } = read.kind === "read" ? read.contents : { family: [id] as const, rows: 0 };
  const children = family.length - 1;
  const withChildren = children === 0 ? "" : `, with ${children === 1 ? "1 session of a sub-agent" : `${children} sessions of sub-agents`}`;
  return [
    {
      name: "its rows in OpenCode's database",
      path: database,
      bytes: undefined,
      belongsBecause: read.kind === "read" ? `${rows === 1 ? "1 row is" : `${rows} rows are`} of ${id}${withChildren}` : `they would be told by ${id}`,
      async erase(signal) {
        const before = await rowsLeft(database, family);
        if (before === undefined) return blocked(`it can't be read: ${byHand(id, home)}`);
        if (before === 0) return { kind: "absent" };
        const why = await deleteByOpencode(id, home, signal);
        if (why !== undefined) return blocked(why);
        if (((await rowsLeft(database, family)) ?? 1) > 0) return blocked(`OpenCode's own command left rows of it: ${byHand(id, home)}`);
        await emptyLog(database);
        return { kind: "erased" };
      },
      async residue() {
        const left = await rowsLeft(database, family);
        if (left === undefined) return [`${database}: it can't be read`];
        return left === 0 ? [] : [`${left === 1 ? "1 row" : `${left} rows`} of ${database}`];
      },
      mayRemain: () => mayRemainIn(database, id),
    },
  ];
}
