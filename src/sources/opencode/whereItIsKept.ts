import type { Agent } from "../../core/agent.ts";
import { databaseOf } from "./processes.ts";
import type { OpencodeProcess } from "./processes.ts";
import { isKeptIn } from "./unfinished.ts";

/** In a database of OpenCode's, be it of those that run or of this user's own home: in words; undefined where none has it. Whose server does not run is asked by nobody. */
export async function whereItIsKept(id: string, agent: Agent, processes: readonly OpencodeProcess[]): Promise<string | undefined> {
  const environment = new Map(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  const databases = [await databaseOf(environment, agent, process.pid), ...processes.map(({ database }) => database)];
  for (const database of new Set(databases.flatMap((path) => (path?.startsWith("/") ? [path] : [])))) {
    const isKept = await isKeptIn(database, id);
    if (isKept !== false) return isKept ? `${database} has it` : `${database} can't be read`;
  }
  return undefined;
}
