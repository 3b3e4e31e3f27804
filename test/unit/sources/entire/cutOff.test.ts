import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { aState, goText, readBack, writeState } from "../../../support/entire.ts";
import { aFolder } from "../../../support/folder.ts";

const state = aState("a", { owner: { pid: 1, start: "1" }, files_touched: ["a.ts"], last_prompt: "x".repeat(100_000) });
const old = goText(state);

test.each(["before", "amid"])(
  "cut off %s any step of an end, the state is the old one or the new one, whole, and the next time it is told",
  async (when) => {
    await using folder = await aFolder();
    const steps: string[] = [];
    let isThrough = false;
    const cutOffOneAfterTheOther = async (): Promise<void> => {
      while (!isThrough) {
        const at = steps.push("") - 1;
        const path = writeState(join(folder.path, String(at)), state);
        const outcome = await endInWindow(path, `${when} ${at + 1}`);
        if (outcome !== "cut off") isThrough = true;
        const text = readFileSync(path, "utf8");
        const isOld = text === old;
        if (!isOld) expect(text).toBe(newText(readBack(path)));
        steps[at] = isOld ? "old" : "new";
        // The lock went with its holder, and what it left behind is in nobody's way.
        if (outcome === "cut off") expect(await endInWindow(path)).toBe(isOld ? "recorded" : "alreadySo");
        expect(readFileSync(path, "utf8")).toBe(newText(readBack(path)));
        expect(readdirSync(dirname(path)).every((name) => /^a\.json(\.[0-9a-f]{16}\.tmp)?$/.test(name))).toBe(true);
      }
    };
    await Promise.all([cutOffOneAfterTheOther(), cutOffOneAfterTheOther()]);
    // Else nothing would be shown: it has been cut off while all was old, and when all was new.
    expect(new Set(steps)).toEqual(new Set(["old", "new"]));
    expect(steps.length).toBeGreaterThan(15);
  },
  240_000,
);

/** All as it was, but for the times of this end. */
function newText({ last_interaction_time: at }: Record<string, unknown>): string {
  return old
    .replace('"phase": "active"', '"phase": "ended"')
    .replace(/"last_interaction_time": "[^"]*"/, `"last_interaction_time": ${JSON.stringify(at)}`)
    .replace(/\n\}\n$/, `,\n  "ended_at": ${JSON.stringify(state["last_interaction_time"])}\n}\n`);
}

async function endInWindow(path: string, cutOff?: string): Promise<string> {
  const cutOffAt = fileOf("../mux/cutOffAt.ts");
  const argv = ["--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--import", cutOffAt, fileOf("recordEnd.ts"), join(dirname(path), ".."), "a"];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, argv, { env: { ...process.env, CUT_OFF: cutOff } });
    return stdout.trim();
  } catch (error) {
    if (error instanceof Error && "signal" in error && error.signal === "SIGKILL") return "cut off";
    throw error;
  }
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
