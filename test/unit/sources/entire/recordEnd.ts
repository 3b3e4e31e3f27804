import { join } from "node:path";
import { changeState } from "../../../../src/sources/entire/changeState.ts";
import { parseState } from "../../../../src/sources/entire/state.ts";
import { readStateText } from "../../../../src/sources/entire/stateFile.ts";

// A window that tells one state that its owner is gone, and says what came of it.
const [common = "", id = ""] = process.argv.slice(2);
const before = await readStateText(join(common, "entire-sessions", `${id}.json`));
const asSeen = before.kind === "text" ? parseState(before.text, id) : undefined;
if (!asSeen) throw new Error("There is no such state.");
const outcome = await changeState({
  common,
  asSeen,
  liveness: { value: "gone", seen: "its owner is gone", at: Date.now() },
  change: { kind: "exited", conversation: undefined },
  guard: () => true,
  signal: AbortSignal.timeout(20_000),
});
console.log(outcome.kind);
