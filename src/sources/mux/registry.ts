import pLimit from "p-limit";
import type { RecordOutcome } from "../../core/source.ts";
import { withFileLock } from "../../system/fileLock.ts";
import { isRemovedBy, mayBeExported, twinEdit, withoutNothing } from "./decision.ts";
import type { Cut, Decision } from "./decision.ts";
import { emptyIdentity } from "./emptyIdentity.ts";
import type { Emptied } from "./emptyIdentity.ts";
import { isJsonObject } from "./exactJson.ts";
import type { JsonObject } from "./json.ts";
import { keyed, keyedInParts } from "./keyedRow.ts";
import type { KeyedRow } from "./keyedRow.ts";
import { openTwin, twinPathOf } from "./twin/twin.ts";
import { openYamlFile } from "./yamlFile.ts";
import type { RowText } from "./text/rowText.ts";

export type RegistryReading =
  | { readonly kind: "absent" }
  | { readonly kind: "read"; readonly rows: readonly KeyedRow[]; readonly identities: JsonObject | undefined; readonly unreadable: number }
  | { readonly kind: "unavailable"; readonly file: string; readonly reason: string };

export interface Registry {
  readonly files: readonly string[];
  read(): Promise<RegistryReading>;
  /** The folders for which the caches of ids hold one, in either file. */
  cachedFolders(): Promise<readonly string[]>;
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
    async cachedFolders() {
      const readings = await Promise.all([twin.read(), yaml.read()]);
      return readings.flatMap((reading) => (reading.kind === "read" ? foldersIn(reading.identities) : []));
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
    const written = await yaml.edit((rows, identities) => {
      const places = rows.flatMap((row, index) => (row ? [index] : []));
      const known = keyed(rows.filter((row) => row !== undefined));
      decision = withoutNothing(decide(known), identities);
      const indexOf = (at: KeyedRow): number => places[known.indexOf(at)] ?? -1;
      switch (decision.kind) {
        case "outcome":
          return [];
        case "change": {
          const identity = emptyIdentity(identities, decision.emptied);
          const row = { kind: "change", index: indexOf(decision.at), set: decision.set, remove: decision.remove } as const;
          return [row, ...(identity ? [{ kind: "identity", change: identity } as const] : [])];
        }
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
    let emptied: Emptied | undefined;
    const changed = await twin.change((rows, identities) => {
      const isEmptied = rows.length === 0 && besideIt > 0;
      const reason = `${twinPath} holds no row, though ${path} holds ${besideIt}: nothing is written until they agree`;
      const wanted = isEmptied ? ({ kind: "outcome", outcome: { kind: "failed", reason } } as const) : decide(keyed(rows));
      emptied = wanted.kind === "change" ? wanted.emptied : undefined;
      decision = withoutNothing(wanted, identities);
      return twinEdit(decision, identities);
    });
    if (changed.kind === "busy") return { outcome: changed };
    if (changed.kind === "unavailable") return { outcome: { kind: "unreachable", reason: changed.reason } };
    if (!mayBeExported(decision)) return updatedBy(decision, { outcome: { kind: "alreadySo" } });

    const exported = await yaml.reconcile(changed.rows, (name) => changed.unreadable === 0 || isRemovedBy(decision, name), emptied);
    const outcome = exported.kind === "written" || exported.kind === "alreadySo" ? ({ kind: "recorded" } as const) : unexported(exported);
    return updatedBy(decision, { outcome });
  }

  function unexported(outcome: RecordOutcome): RecordOutcome {
    const why = "reason" in outcome ? outcome.reason : "somebody else writes it all the time";
    return { kind: "failed", reason: `it is in ${twinPath}, but ${path} was left as it is: ${why}` };
  }
}
const lockWithinMs = 2_000;

function foldersIn(identities: JsonObject | undefined): readonly string[] {
  return Object.values(identities ?? {}).flatMap((entry) => {
    const cwd = isJsonObject(entry) ? entry["project_cwd"] : undefined;
    return typeof cwd === "string" ? [cwd] : [];
  });
}

function updatedBy(decision: Decision, { outcome, text }: { readonly outcome: RecordOutcome; readonly text?: RowText | undefined }): Updated {
  if (decision.kind === "outcome" && (outcome.kind === "recorded" || outcome.kind === "alreadySo")) return { outcome: decision.outcome };
  if (decision.kind === "remove") return { outcome, cut: { row: decision.at.value, text } };
  return { outcome };
}
