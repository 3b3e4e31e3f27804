import pLimit from "p-limit";
import type { RecordOutcome } from "../../core/source.ts";
import { withFileLock } from "../../system/fileLock.ts";
import { isSameJson } from "./exactJson.ts";
import { rowAfter } from "./changeRow.ts";
import type { JsonObject } from "./json.ts";
import { keyed, keyedInParts } from "./keyedRow.ts";
import type { KeyedRow } from "./keyedRow.ts";
import { openTwin, twinPathOf } from "./twin/twin.ts";
import type { TwinEdit } from "./twin/write.ts";
import { openYamlFile } from "./yamlFile.ts";
import type { RowText } from "./text/rowText.ts";

export type RegistryReading =
  | { readonly kind: "absent" }
  | { readonly kind: "read"; readonly rows: readonly KeyedRow[]; readonly identities: JsonObject | undefined; readonly unreadable: number }
  | { readonly kind: "unavailable"; readonly file: string; readonly reason: string };

/** Decided under the lock, on the rows as they are then. */
export type Decision = RegistryEdit | { readonly kind: "outcome"; readonly outcome: RecordOutcome };
export type RegistryEdit =
  | { readonly kind: "change"; readonly at: KeyedRow; readonly set: JsonObject; readonly remove: readonly string[] }
  | { readonly kind: "add"; readonly row: JsonObject }
  | { readonly kind: "remove"; readonly at: KeyedRow }
  | { readonly kind: "giveBack"; readonly cut: Cut };

/** What a removal took, to be given back. */
export interface Cut {
  readonly row: JsonObject;
  readonly text: RowText | undefined;
}

export interface Registry {
  readonly files: readonly string[];
  read(): Promise<RegistryReading>;
  /** One lock for both of its files, and never held while anything is asked or waited for. */
  update(decide: (rows: readonly KeyedRow[]) => Decision): Promise<Updated>;
}
export interface Updated {
  readonly outcome: RecordOutcome;
  readonly cut?: Cut;
}

/** The SQLite twin where there is one, else the YAML file. A twin that can't be opened is no reason to believe the YAML beside it. */
export function openRegistry(path: string): Registry {
  const yaml = openYamlFile(path);
  const twinPath = twinPathOf(path);
  const twin = openTwin(twinPath);
  // Two changes of one window would only wait for each other's lock.
  const oneAtATime = pLimit(1);
  const latest = new WeakMap<object, readonly KeyedRow[]>();

  return {
    files: [path, twinPath],
    async read() {
      const inTwin = await twin.read();
      switch (inTwin.kind) {
        case "unavailable":
          return { kind: "unavailable", file: twinPath, reason: inTwin.reason };
        case "read":
          return { ...inTwin, kind: "read", rows: await keyedOnce(inTwin.rows, inTwin.rows) };
        case "absent":
          return readYaml();
      }
    },
    update: (decide) => oneAtATime(() => locked(decide)),
  };

  async function readYaml(): Promise<RegistryReading> {
    const reading = await yaml.read();
    if (reading.kind === "absent") return reading;
    if (reading.kind === "corrupt") return { kind: "unavailable", file: path, reason: reading.reason };
    const whole = reading.rows.filter((row) => row !== undefined);
    return { kind: "read", rows: await keyedOnce(reading.rows, whole), identities: reading.identities, unreadable: reading.rows.length - whole.length };
  }

  /** A file that is as it was gives the same rows as before. */
  async function keyedOnce(read: object, rows: readonly JsonObject[]): Promise<readonly KeyedRow[]> {
    const known = latest.get(read) ?? (await keyedInParts(rows));
    latest.set(read, known);
    return known;
  }

  async function locked(decide: (rows: readonly KeyedRow[]) => Decision): Promise<Updated> {
    try {
      const done = await withFileLock(`${path}.lock`, lockWithinMs, async () => {
        const { kind } = await twin.read();
        return kind === "absent" ? updateYaml(decide) : updateTwin(decide);
      });
      return done.kind === "done" ? done.value : { outcome: { kind: "busy" } };
    } catch (error) {
      return { outcome: { kind: "failed", reason: error instanceof Error ? error.message : String(error) } };
    }
  }

  async function updateYaml(decide: (rows: readonly KeyedRow[]) => Decision): Promise<Updated> {
    let decision: Decision = { kind: "outcome", outcome: { kind: "busy" } };
    const written = await yaml.edit((rows) => {
      const places = rows.flatMap((row, index) => (row ? [index] : []));
      const known = keyed(rows.filter((row) => row !== undefined));
      decision = withoutNothing(decide(known));
      const indexOf = (at: KeyedRow): number => places[known.indexOf(at)] ?? -1;
      switch (decision.kind) {
        case "outcome":
          return [];
        case "change":
          return [{ kind: "change", index: indexOf(decision.at), set: decision.set, remove: decision.remove }];
        case "add":
          return [{ kind: "add", row: decision.row }];
        case "remove":
          return [{ kind: "remove", index: indexOf(decision.at) }];
        case "giveBack":
          return decision.cut.text ? [{ kind: "insert", text: decision.cut.text }] : [{ kind: "add", row: decision.cut.row }];
      }
    });
    return updatedBy(decision, written.kind === "written" ? { outcome: { kind: "recorded" }, text: written.cut } : { outcome: written });
  }

  /** The twin first, since other programs believe it; then the YAML is made to say the same, whatever it said. */
  async function updateTwin(decide: (rows: readonly KeyedRow[]) => Decision): Promise<Updated> {
    const beside = await yaml.read();
    const besideIt = beside.kind === "read" ? beside.rows.length : 0;
    let decision: Decision = { kind: "outcome", outcome: { kind: "busy" } };
    const changed = await twin.change((rows) => {
      const isEmptied = rows.length === 0 && besideIt > 0;
      const reason = `${twinPath} holds no row, though ${path} holds ${besideIt}: nothing is written until they agree`;
      decision = isEmptied ? { kind: "outcome", outcome: { kind: "failed", reason } } : withoutNothing(decide(keyed(rows)));
      return twinEdit(decision);
    });
    if (changed.kind === "busy") return { outcome: changed };
    if (changed.kind === "unavailable") return { outcome: { kind: "unreachable", reason: changed.reason } };
    if (!mayBeExported(decision)) return updatedBy(decision, { outcome: { kind: "alreadySo" } });

    const exported = await yaml.reconcile(changed.rows, (name) => changed.unreadable === 0 || isRemovedBy(decision, name));
    const outcome = exported.kind === "written" || exported.kind === "alreadySo" ? ({ kind: "recorded" } as const) : unexported(exported);
    return updatedBy(decision, { outcome });
  }

  function unexported(outcome: RecordOutcome): RecordOutcome {
    const why = "reason" in outcome ? outcome.reason : "somebody else writes it all the time";
    return { kind: "failed", reason: `it is in ${twinPath}, but ${path} was left as it is: ${why}` };
  }
}
const lockWithinMs = 2_000;

/** A change that changes nothing is already so. */
function withoutNothing(decision: Decision): Decision {
  if (decision.kind !== "change") return decision;
  const { at, set, remove } = decision;
  const news = Object.entries(set).filter(([key, value]) => !isSameJson(at.value[key], value));
  const left = remove.filter((key) => Object.hasOwn(at.value, key));
  if (news.length === 0 && left.length === 0) return { kind: "outcome", outcome: { kind: "alreadySo" } };
  return { ...decision, set: Object.fromEntries(news), remove: left };
}

function twinEdit(decision: Decision): TwinEdit | undefined {
  switch (decision.kind) {
    case "outcome":
      return undefined;
    case "change": {
      const { row, value } = decision.at;
      return { kind: "set", name: row.name, nth: row.nth, row: rowAfter(value, decision) };
    }
    case "add":
      return { kind: "add", row: decision.row };
    case "giveBack":
      return { kind: "add", row: decision.cut.row };
    case "remove":
      return { kind: "remove", name: decision.at.row.name, nth: decision.at.row.nth };
  }
}

/** What the twin holds and nobody can read may be whole in the YAML, and nowhere else. */
function isRemovedBy(decision: Decision, name: string): boolean {
  return decision.kind === "remove" && decision.at.row.name === name;
}

/** An earlier export may have been cut off, so also where nothing had to be changed. */
function mayBeExported(decision: Decision): boolean {
  return decision.kind !== "outcome" || decision.outcome.kind === "alreadySo";
}

function updatedBy(decision: Decision, { outcome, text }: { readonly outcome: RecordOutcome; readonly text?: RowText | undefined }): Updated {
  if (decision.kind === "outcome" && (outcome.kind === "recorded" || outcome.kind === "alreadySo")) return { outcome: decision.outcome };
  if (decision.kind === "remove") return { outcome, cut: { row: decision.at.value, text } };
  return { outcome };
}
