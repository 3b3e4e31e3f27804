import { stores } from "../../../../src/agents/claude/stores/stores.ts";

// Run by a user who is held to the modes of files: tells what is found of a conversation, deletes it, and tells what is left.
const [home = "", cwd = "", id = ""] = process.argv.slice(2);
const { signal } = new AbortController();
const kept = await stores({ conversation: { agent: "claude", id, toldBy: "agent", home }, cwd, configHomes: [] }, signal);
const outcomes = [];
for (const store of kept.stores) outcomes.push(await store.erase(signal));
const residue = await Promise.all(kept.stores.map((store) => store.residue(signal)));
console.log(JSON.stringify({ found: kept.stores.map(({ path }) => path), leftAlone: kept.leftAlone, outcomes, residue: residue.flat() }));
