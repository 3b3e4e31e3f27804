import { join } from "node:path";
import type { Store } from "../../core/store.ts";
import { storesAt } from "../../system/erase/files.ts";
import { listIfPresent } from "../../system/files.ts";

/** Files of before there was a database: those called by the session's id, and the parts of its messages, which only the list of those tells. */
export async function oldStores(home: string, id: string): Promise<readonly Store[]> {
  const storage = join(home, "storage");
  const at = (path: string, belongsBecause: string) => storesAt({ root: home, path, name: "a file of OpenCode's earlier storage", belongsBecause });
  const stores: Store[] = [];
  const messages = (await listIfPresent(join(storage, "message", id))).flatMap((name) => /^(msg_[0-9A-Za-z]+)\.json$/.exec(name)?.[1] ?? []);
  for (const message of messages) stores.push(...(await at(join(storage, "part", message), "it holds a message of the session")));
  for (const kind of await listIfPresent(storage)) {
    const paths = [join(storage, kind, id), join(storage, kind, `${id}.json`)];
    for (const name of await listIfPresent(join(storage, kind)))
      if (!name.endsWith(".json") && name !== id) paths.push(join(storage, kind, name, `${id}.json`));
    for (const path of paths) stores.push(...(await at(path, "its name is the session's id")));
  }
  return stores;
}
