import { join } from "node:path";
import type { Agent } from "../../core/agent.ts";
import { foundBy } from "../../core/store.ts";
import type { Kept, LeftAlone } from "../../core/store.ts";
import { withoutElements, withoutMembers, withValue } from "../../system/cutElements.ts";
import { cutStoresIn } from "../../system/erase/cuts.ts";
import { storesAt } from "../../system/erase/files.ts";
import { unreadableBelow } from "../../system/erase/unreadable.ts";
import { listIfPresent, readIfPresent } from "../../system/files.ts";
import { keptInHomes } from "../homes.ts";
import { uuidPattern } from "../ids.ts";
import { mentionsBelow } from "../mentions.ts";
import { commandHistory } from "./commandHistory.ts";
import { logsOf } from "./processLogs.ts";
import { rowsLeftAlone, rowStores } from "./sessionStore.ts";
import { configHomeOf } from "./home.ts";

export const storesOf: NonNullable<Agent["stores"]> = async (of, signal) => {
  const { id } = of.conversation;
  if (!uuidPattern.test(id)) return { stores: [], leftAlone: [] };
  return keptInHomes(of, configHomeOf, signal, (home) => keptIn(home, id));
};

/** The folder with the events goes last: it leads to what was typed. */
async function keptIn(home: string, id: string): Promise<Kept> {
  const folder = join(home, "session-state", id);
  const at = (name: string, path: string, belongsBecause = "its name is the conversation's id") => storesAt({ root: home, path, name, belongsBecause });
  const logs = await logsOf(home, id);
  const typed = await commandHistory(home, id);
  const stores = [
    ...logs.stores,
    ...foundBy([folder, join(home, "session-store.db")], typed.stores),
    ...(await cutStoresIn({
      root: home,
      path: join(home, "open-sessions-state.json"),
      name: "its entry among the open sessions",
      belongsBecause: "its name is the conversation's id",
      without: (text) => withoutMembers(text, (name) => name === id),
    })),
    ...(await sidebarStores(home, id)),
    ...(await rowStores(home, id)),
    ...(await at("its lock", join(home, "session-state", ".session-operation-locks", `${id}.lock`))),
    ...(await earlierStores(home, id)),
  ];
  const other = await otherIdIn(folder, id);
  const told = [...logs.leftAlone, ...typed.leftAlone, ...(await rowsLeftAlone(home, id))];
  const leftAlone = [
    ...told,
    ...(await mentionsBelow({ home, id, except: /^pkg$/, ofOthers }, [...stores, ...told, { path: folder }])),
    ...(await placesThatCannotBeRead(home, [...stores, { path: folder }])),
  ];
  if (other === undefined) return { stores: [...stores, ...(await at("its events, checkpoints and snapshots", folder))], leftAlone };
  return { stores, leftAlone: [...leftAlone, { name: "a session's folder", path: folder, why: `it says that it is of ${other}`, holds: "text" }] };
}

/** A file for each folder, with the sessions that are listed beside it. */
async function sidebarStores(home: string, id: string): Promise<Kept["stores"]> {
  const folder = join(home, "sidebar-sessions-state");
  const files = (await listIfPresent(folder)).filter((name) => name.endsWith(".json"));
  const stores = files.map((file) =>
    cutStoresIn({
      root: home,
      path: join(folder, file),
      name: "its entry in a folder's list of sessions",
      belongsBecause: "it is the conversation's id",
      without: (text) => withValue(text, "sessionIds", (ids) => withoutElements(ids, (each) => each === id)),
    }),
  );
  return (await Promise.all(stores)).flat();
}

/** Where versions before this one kept it. */
async function earlierStores(home: string, id: string): Promise<Kept["stores"]> {
  const folder = join(home, "history-session-state");
  const files = (await listIfPresent(folder)).filter((name) => name === `${id}.json` || (name.startsWith(`session_${id}_`) && name.endsWith(".json")));
  const paths = [...files.map((file) => join(folder, file)), join(home, "session-state", `${id}.jsonl`)];
  const belongsBecause = "its name holds the conversation's id";
  return (await Promise.all(paths.map((path) => storesAt({ root: home, path, name: "an earlier version's transcript", belongsBecause })))).flat();
}

async function otherIdIn(folder: string, id: string): Promise<string | undefined> {
  const said = /^id: *["']?([\w-]+)["']? *$/m.exec((await readIfPresent(join(folder, "workspace.yaml"), largestBytes)) ?? "")?.[1];
  return said === id ? undefined : said;
}

const ofOthers =
  /^(session-state\/[0-9a-f-]{36}(\/|\.jsonl$)|history-session-state\/(session_)?[0-9a-f-]{36}[^/]*\.json$|sidebar-sessions-state\/\d+\.json$|(open-sessions|command-history)-state\.json$|session-store\.db(-wal|-shm|-journal)?$)/;

/** The folders that it keeps conversations in; its programs lie beside them, which are many files. */
async function placesThatCannotBeRead(home: string, known: readonly { readonly path: string }[]): Promise<readonly LeftAlone[]> {
  const folders = ["session-state", "history-session-state", "sidebar-sessions-state", "logs"].map((name) => join(home, name));
  return [...(await unreadableBelow(home, known, 1)), ...(await Promise.all(folders.map((folder) => unreadableBelow(folder, known)))).flat()];
}

const largestBytes = 16 * 1024 * 1024;
