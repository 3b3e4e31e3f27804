import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openRegistry } from "../../../../src/sources/mux/registry.ts";
import { aFolder } from "../../../support/folder.ts";
import { makeRegistry, seenByPython, twins } from "./aRegistry.ts";
import type { Row, Seen } from "./aRegistry.ts";
import { recordStop } from "./aStop.ts";

const stopped = "one-creator-claude";
const rows: readonly Row[] = [stopped, "two-creator-claude", "three"].map((name) => ({ name, status: "running", pane: { cwd: "/w" }, mine: 1.0 }));

// Of the two tables a twin may have, both are written by the same steps.
const cuts = [...twins.map((twin) => ["before", twin] as const), ["amid", "none"] as const, ["amid", "sessions"] as const];
test.each(cuts)(
  "cut off %s any step of a stop's record, the registry is the old one or the new one, whole, and the next write brings all in order (twin: %s)",
  async (when, twin) => {
    await using folder = await aFolder();
    const made = join(folder.path, "made");
    mkdirSync(made);
    makeRegistry(made, twin, rows);
    const copy = (name: string): string => {
      cpSync(made, join(folder.path, name), { recursive: true });
      return join(folder.path, name, "agents.yaml");
    };
    const whole = copy("whole");
    expect(await stopInWindow(whole)).toBe("recorded");
    const [oldText, newText] = [join(made, "agents.yaml"), whole].map((path) => readFileSync(path, "utf8"));
    const [before, after] = seenByPython([join(made, "agents.yaml"), whole]);
    expect(newText).not.toBe(oldText);

    const cut: string[] = [];
    let isThrough = false;
    const cutOffOneAfterTheOther = async (): Promise<void> => {
      while (!isThrough) {
        const at = cut.length + 1;
        const path = copy(String(at));
        cut.push(path);
        if ((await stopInWindow(path, `${when} ${at}`)) !== "cut off") isThrough = true;
      }
    };
    await Promise.all([cutOffOneAfterTheOther(), cutOffOneAfterTheOther()]);
    expect(cut.length).toBeGreaterThan(15);

    // Python would bring a database back in order as it looks: it looks at a copy.
    for (const path of cut) cpSync(join(path, ".."), join(path, "../../looked at", String(cut.indexOf(path))), { recursive: true });
    const lookedAt = cut.map((_, index) => join(folder.path, "looked at", String(index), "agents.yaml"));
    const left = seenByPython(lookedAt);
    const texts = cut.map((path) => readFileSync(path, "utf8"));
    for (const [index, text] of texts.entries()) {
      expect([oldText, newText]).toContain(text);
      expect([before?.twin, after?.twin]).toContainEqual(left[index]?.twin);
    }
    // Else nothing would be shown: it has been cut off while all was old, in between, and when all was new.
    const steps = new Set(left.map((seen, index) => `${texts[index] === newText ? "new" : "old"}, ${twin === "none" ? "none" : twinWord(seen, after)}`));
    expect([...steps].sort()).toEqual(twin === "none" ? ["new, none", "old, none"] : ["new, new", "old, new", "old, old"]);

    // The same stop once more is told whole, whatever of it was there.
    for (const path of lookedAt) {
      expect((await recordStop(path, stopped)).kind).toMatch(/^(recorded|alreadySo)$/);
      expect(readFileSync(path, "utf8")).toBe(newText);
    }
    expect(seenByPython(lookedAt).every(({ isAgreed }) => isAgreed)).toBe(true);

    // And so it is by another change.
    for (const path of cut) expect(await archive(path, "three")).toEqual({ kind: "recorded" });
    const repaired = seenByPython(cut);
    for (const [index, { yaml, isAgreed }] of repaired.entries()) {
      expect(isAgreed).toBe(true);
      const was = left[index]?.twin ?? left[index]?.yaml;
      expect(yaml).toEqual(was?.map((row) => (row.name === "three" ? { ...row, status: "archived" } : row)));
    }
  },
);

function twinWord(seen: Seen, after: Seen | undefined): "old" | "new" {
  return JSON.stringify(seen.twin) === JSON.stringify(after?.twin) ? "new" : "old";
}

async function stopInWindow(path: string, cutOff?: string): Promise<string> {
  const argv = ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--import", fileOf("cutOffAt.ts"), fileOf("recordStop.ts"), path, stopped];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, argv, { env: { ...process.env, CUT_OFF: cutOff } });
    return stdout.trim();
  } catch (error) {
    if (error instanceof Error && "signal" in error && error.signal === "SIGKILL") return "cut off";
    throw error;
  }
}

async function archive(path: string, name: string): Promise<unknown> {
  const { outcome } = await openRegistry(path).update((all) => {
    const at = all.find(({ row }) => row.name === name);
    return at ? { kind: "change", at, set: { status: "archived" }, remove: [] } : { kind: "outcome", outcome: { kind: "failed", reason: `no row ${name}` } };
  });
  return outcome;
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
