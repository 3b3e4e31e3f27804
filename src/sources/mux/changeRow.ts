import { lastScreenLine } from "../../core/lastScreen.ts";
import type { AgentId, Conversation, Run } from "../../core/facet.ts";
import type { Change } from "../../core/source.ts";
import type { JsonObject } from "./json.ts";
import { ownIdKey, startWord } from "./row.ts";
import type { Row } from "./row.ts";

/** What a change does to a row: keys that get a value, and keys that go. */
export interface RowChange {
  readonly set: JsonObject;
  readonly remove: readonly string[];
}

/** What is done to a row as a whole is the registry's. */
export type RowedChange = Exclude<Change, { kind: "forgotten" } | { kind: "restored" }>;

/** The row's next words, under the seed's keys; `isMarked`: since the look somebody else has written that it is stopped. Undefined where this is nothing that a row tells. Times are of UTC, in whole seconds. */
export function changeRow(row: Row, change: RowedChange, now: number, isMarked = false): RowChange | undefined {
  switch (change.kind) {
    case "survived":
      return undefined;
    case "idCaptured":
      return { set: ownIdOf(row.agent, change.conversation), remove: [] };
    case "stopped": {
      const { at, reason, how, conversation, lastScreen } = change;
      const screen = lastScreen === undefined ? "" : lastScreenLine(lastScreen);
      // Who has marked it meanwhile has the word on why.
      return {
        set: {
          ...(!isMarked && { status: "stopped", ...times("stopped", at), stop_reason: reason, termination_mode: how === "forced" ? "forced" : "graceful" }),
          ...(screen !== "" && { last_visible_status_at_termination: screen }),
          ...ownIdOf(row.agent, conversation),
        },
        remove: [],
      };
    }
    case "exited":
      return {
        set: {
          status: "stopped",
          ...times("stopped", now),
          stop_reason: "agent_exited",
          termination_mode: "exited",
          ...(row.ownId === undefined && ownIdOf(row.agent, change.conversation)),
        },
        remove: [],
      };
    case "resumed":
      return {
        set: { status: "running", ...ownIdOf(row.agent, change.run.conversation), ...identityIn(change.run) },
        remove: ["stopped_at", "stopped_at_epoch", "terminated_at", "terminated_at_epoch", "stop_reason", "termination_mode"],
      };
    case "purged":
      return {
        set: {
          status: "terminated",
          ...(!(row.isPurged && row.status === "terminated") && times("terminated", change.at)),
          termination_mode: "purge",
          resumable: false,
          ...(row.agent && { [ownIdKey(row.agent)]: null }),
        },
        remove: ["last_visible_status_at_termination"],
      };
    case "renamed":
      // The row's own name is what tmux and other programs know it by.
      return change.to.trim() === "" ? { set: {}, remove: ["display_name"] } : { set: { display_name: change.to.trim() }, remove: [] };
    case "archived":
      return { set: { status: "archived" }, remove: [] };
    case "unarchived":
      return { set: { status: row.isPurged ? "terminated" : "stopped" }, remove: [] };
  }
}

/** The row as the change leaves it; what it says nothing of stays, in its place. */
export function rowAfter(value: JsonObject, { set, remove }: RowChange): JsonObject {
  return { ...Object.fromEntries(Object.entries(value).filter(([key]) => !remove.includes(key))), ...set };
}

/** A row of our own. */
export function newRow(run: Run, name: string, now: number): JsonObject {
  return {
    name,
    status: "running",
    ...(run.agent && { agent: run.agent }),
    pane: { ...(run.cwd !== undefined && { cwd: run.cwd }) },
    ...ownIdOf(run.agent, run.conversation),
    ...times("created", now),
    ...identityIn(run),
  };
}

/** Whether it can be resumed is evidence; an id whose transcript nobody looked for is taken at its word, as the registry's own program does. */
function ownIdOf(agent: AgentId | undefined, conversation: Conversation | undefined): JsonObject {
  if (!conversation || agent !== conversation.agent) return {};
  const resumable = conversation.resumable?.value ?? (conversation.toldBy === "cache" ? undefined : true);
  return { [ownIdKey(agent)]: conversation.id, ...(resumable !== undefined && { resumable }) };
}

function times(word: "stopped" | "terminated" | "created", at: number): JsonObject {
  return { [`${word}_at`]: new Date(at).toISOString().replace(/\.\d+Z$/, "Z"), [`${word}_at_epoch`]: Math.floor(at / 1000) };
}

/** A name is not an identity: this says which process of which boot, host and tmux server the row means. */
function identityIn({ host, configHome }: Run): JsonObject {
  if (host.kind !== "process") return {};
  const { process, pane } = host;
  return {
    session_warden: {
      pid: process.pid,
      start: startWord(process),
      ...(process.host !== undefined && { host: process.host }),
      ...(process.bootId !== undefined && { boot_id: process.bootId }),
      ...(process.pidNamespace !== undefined && { pid_namespace: process.pidNamespace }),
      ...(pane && { tmux_socket: pane.server.socket, tmux_server_pid: pane.server.pid }),
      ...(configHome !== undefined && { config_home: configHome }),
    },
  };
}
