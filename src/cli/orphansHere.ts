import type { Command } from "commander";
import { endOrphan, sessionOfOrphan } from "../core/operations/endOrphan.ts";
import { burdenWords, endingWords, reasonWords } from "../core/orphanSentences.ts";
import type { Orphan } from "../core/orphans.ts";
import type { Warden } from "../core/warden.ts";
import type { CommandHands } from "./endCommands.ts";
import { exitCodeOf } from "./exitCode.ts";
import type { ExitCode } from "./exitCode.ts";
import { dieAt } from "./fault.ts";
import { abortedByInterrupt } from "./interrupt.ts";
import { plain } from "./listing.ts";
import { tellReceipt, tellRefusal } from "./operate.ts";

interface OrphanFlags {
  readonly end?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Which processes belong to nobody, and an end to one of them. */
export function addOrphanCommand(program: Command, { warden, exitWith }: CommandHands): void {
  program
    .command("orphans")
    .description("agent processes that belong to nobody, and what sessions left behind: with memory, CPU, age and why; changes nothing")
    .option("--end <KEY>", "instead, end this one; its key is in the list")
    .option("--yes", "with --end: do it without asking again")
    .option("--json", "print the list or the receipt for scripts")
    .action(async (flags: OrphanFlags) => {
      const here = await warden();
      exitWith(flags.end === undefined ? await listOrphans(here, flags) : await endOne(here, flags.end, flags));
    });
}

async function listOrphans({ orphans: finder }: Warden, { json }: OrphanFlags): Promise<ExitCode> {
  const { signal } = new AbortController();
  const orphans = await finder.measured(await finder.find(signal), signal);
  if (json) console.log(JSON.stringify({ orphans: orphans.map(orphanJson) }, undefined, 2));
  else console.log(listingOf(orphans, Date.now()).map(plain).join("\n"));
  return 0;
}

async function endOne(warden: Warden, key: string, { yes, json }: OrphanFlags): Promise<ExitCode> {
  const cancelled = abortedByInterrupt();
  const { orphans: finder } = warden;
  const orphan = (await finder.find(cancelled)).find((each) => each.key === key);
  const options = json === undefined ? {} : { json };
  if (!orphan) return tellRefusal({ kind: "refused", reason: "notFound", asked: key }, "endOrphan", key, options);
  const session = sessionOfOrphan(orphan, Date.now());
  if (orphan.protection !== undefined)
    return tellRefusal({ kind: "refused", reason: "protected", detail: orphan.protection }, "endOrphan", key, options, session);
  if (!yes) return askForYes(orphan, json ?? false);
  const receipt = await endOrphan(orphan, finder, warden.forOperation(cancelled, dieAt(process.env["SESSION_WARDEN_FAULT"])));
  tellReceipt(receipt, session, options);
  return exitCodeOf(receipt);
}

function askForYes(orphan: Orphan, json: boolean): ExitCode {
  const concerns = [orphan.why, ...endingWords(orphan)];
  const message = plain([`${orphan.what}:`, ...concerns, "Run it again with --yes to do it."].join(" "));
  if (json) console.log(JSON.stringify({ status: "needs_confirmation", operation: "endOrphan", session_id: orphan.key, concerns, message }, undefined, 2));
  else console.error(message);
  return 3;
}

function listingOf(orphans: readonly Orphan[], now: number): readonly string[] {
  const groups = [
    ["Can be ended", orphans.filter(({ protection }) => protection === undefined)],
    ["Protected", orphans.filter(({ protection }) => protection !== undefined)],
  ] as const;
  const lines = groups.flatMap(([name, members]) =>
    members.length === 0 ? [] : [`${name}  ${members.length}`, ...members.toSorted(byMemory).flatMap((each) => rowsOf(each, now))],
  );
  return lines.length === 0 ? ["No orphan was found: nothing that an agent has started runs without a parent or a terminal."] : lines;
}

function rowsOf(orphan: Orphan, now: number): readonly string[] {
  const title = orphan.session ? `“${orphan.session.title}”  ${orphan.what}` : orphan.what;
  return [`  ${title}  ${burdenWords(orphan, now)}  ${orphan.key}`, `    ${reasonWords(orphan)}`].map((line) => line.replaceAll("\n", " "));
}

function byMemory(a: Orphan, b: Orphan): number {
  return (b.usage?.memoryBytes ?? 0) - (a.usage?.memoryBytes ?? 0);
}

function orphanJson({ key, process, what, why, protection, tree, session, cwd, startedAt, usage }: Orphan): unknown {
  return {
    key,
    pid: process.pid,
    what,
    why,
    protected: protection !== undefined,
    protected_because: protection ?? null,
    agent: session?.agent ?? null,
    conversation_id: session?.conversation?.id ?? null,
    cwd: cwd ?? null,
    started_at: startedAt === undefined ? null : new Date(startedAt).toISOString(),
    memory_bytes: usage?.memoryBytes ?? null,
    cpu_now: usage?.cpuNow ?? null,
    cpu_life: usage?.cpuLife ?? null,
    processes: tree.map(({ identity }) => identity.pid),
  };
}
