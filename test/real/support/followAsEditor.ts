// node followAsEditor.ts
// The product's core at the editor's pace, with the view open, and without an editor. Prints a line of JSON each time that it has looked.
import { readSettings } from "../../../src/cli/cliSettings.ts";
import { compose } from "../../../src/compose.ts";
import { createPace } from "../../../src/vscode/pace.ts";

const { signal } = new AbortController();
const warden = await compose(await readSettings({}));
const pace = createPace({ refresh: look, isVisible: () => true, mustLookUnseen: () => false });
warden.watch(pace.hint);
pace.now();

async function look(): ReturnType<typeof warden.roster.refresh> {
  const snapshot = await warden.roster.refresh(signal);
  const rows = snapshot.sessions.map(({ key, status, run }) => ({ key, status: status.value, why: status.seen, asks: run?.asks?.tool }));
  process.stdout.write(`${JSON.stringify({ at: Date.now(), rows, unreachable: snapshot.unreachable })}\n`);
  return snapshot;
}
