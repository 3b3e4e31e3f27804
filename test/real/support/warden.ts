import { fileURLToPath } from "node:url";
import { execa } from "execa";
import type { Answer, Listed, ReceiptOf } from "../../support/stage.ts";
import type { Agent } from "./agents/agent.ts";
import type { Lab } from "./lab.ts";
import { lastScreen } from "./panes.ts";
import { until } from "./until.ts";

const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));

/** The product's command line, for a pane. */
export const programArgv = ["node", cli] as const;

/** Runs the product's command line as a person of this lab does. */
export async function warden(lab: Lab, ...args: readonly string[]): Promise<Answer> {
  const {
    exitCode: code,
    signal,
    stdout,
    stderr,
  } = await execa(programArgv[0], [cli, ...args], {
    env: lab.env,
    extendEnv: false,
    cwd: lab.root,
    reject: false,
    stdin: "ignore",
  });
  return { code, signal, stdout, stderr, json: () => JSON.parse(stdout) as ReceiptOf };
}

/** What the list shows of this lab: the machine may have agents of its own. */
export async function listed(lab: Lab, ...flags: readonly string[]): Promise<readonly Listed[]> {
  return (await warden(lab, ...flags, "list", "--json")).json().sessions.filter(({ cwd }) => cwd?.startsWith(lab.root));
}

/** The one living row of what runs in the agent's folder, when it has the status; rejects with the list as it is instead. */
export async function untilListed(agent: Agent, status: string, ...flags: readonly string[]): Promise<Listed> {
  let rows: readonly Listed[] = [];
  return await until(
    async () => {
      rows = (await listed(agent.lab, ...flags)).filter(({ cwd, pid }) => cwd === agent.cwd && pid !== null);
      return rows.length === 1 && rows[0]?.status === status ? rows[0] : undefined;
    },
    15_000,
    () => `Not one row that is ${status}:\n${JSON.stringify(rows, undefined, 2)}\n${lastScreen(agent.pane)}`,
  );
}

export interface Stopped extends ReceiptOf {
  readonly code: number | undefined;
}

/** Stops it as a script does that has listed it. */
export async function stop(lab: Lab, { key }: Pick<Listed, "key">, ...flags: readonly string[]): Promise<Stopped> {
  const answer = await warden(lab, ...flags, "stop", key, "--yes", "--json");
  return { ...answer.json(), code: answer.code };
}
