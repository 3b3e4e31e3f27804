// node asEditor.ts newSession NAME AGENT FOLDER | track KEY
// The product's core with the editor's two operations that the command line has not, and without an editor. Prints the receipt.
import { readSettings } from "../../../src/cli/cliSettings.ts";
import { compose } from "../../../src/compose.ts";
import { newSession } from "../../../src/core/operations/newSession.ts";
import type { OperationContext } from "../../../src/core/operations/operation.ts";
import { track } from "../../../src/core/operations/track.ts";
import type { Receipt } from "../../../src/core/receipt.ts";
import type { Warden } from "../../../src/core/warden.ts";

const [verb = "", ...rest] = process.argv.slice(2);
const { signal } = new AbortController();
const warden = await compose(await readSettings({}));
const context = warden.forOperation(signal, () => {});
const receipt = verb === "newSession" ? await start(warden, context, rest) : await enter(warden, context, rest);
process.stdout.write(`${JSON.stringify(receipt)}\n`);
process.exit();

async function start({ places }: Warden, within: OperationContext, [name = "", id = "", folder = ""]: readonly string[]): Promise<Receipt> {
  const agent = (await places.installedAgents()).find((each) => each.id === id);
  if (!agent) throw new Error(`${id} is not on PATH`);
  const inTmux = async (command: Parameters<typeof places.startInTmux>[1]) => {
    const started = await places.startInTmux(name, command, signal);
    return started.kind === "started" ? started.pid : started;
  };
  return newSession({ agent, folder, name }, inTmux, within);
}

async function enter({ roster }: Warden, within: OperationContext, [key = ""]: readonly string[]): Promise<Receipt> {
  const session = (await roster.refresh(signal)).sessions.find((each) => each.key === key);
  if (!session) throw new Error(`nothing is listed as ${key}`);
  return track(session, within);
}
