import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import type { Child } from "../../../support/children.ts";
import { aTracking, forgetIn } from "./aTracking.ts";

const quietly = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON";
const forgetMany = fileURLToPath(new URL("forgetMany.ts", import.meta.url));
const endAt = fileURLToPath(new URL("endAt.ts", import.meta.url));
const appendLines = fileURLToPath(new URL("../../system/appendLines.ts", import.meta.url));
const idsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `ses_${at}`);
const envOf = (ids: readonly string[]): string => ids.map((id) => `N${id}=${id}\n`).join("");
const detailsOf = (ids: readonly string[]): string => `[\n${ids.map((id) => `  {"session_id": "${id}", "n": 1.0}`).join(",\n")}\n]\n`;

test("two programs that take out sessions at once take out each its own, and nothing else", async () => {
  const ids = idsOf(24);
  await using tracking = await aTracking({ env: envOf(ids), details: detailsOf(ids), others: ids.map((id) => `session_log_${id}.txt`) });
  const shares = [ids.slice(0, 8), ids.slice(8, 16)];
  const programs = await Promise.all(
    shares.map((share) => startChild([process.execPath, quietly, forgetMany, tracking.env, tracking.details, "when told", ...share])),
  );
  for (const program of programs) await until(() => program.said().includes("ready"));
  for (const program of programs) program.process.stdin?.write("go\n");
  for (const [at, program] of programs.entries()) {
    expect(await program.ended).toBe(0);
    expect(program.said().trim().split("\n")).toEqual(["ready", ...(shares[at] ?? []).map(() => "recorded")]);
  }
  const left = ids.slice(16);
  expect(tracking.texts()).toEqual({ env: envOf(left), details: detailsOf(left) });
  expect(tracking.names()).toEqual([...left.map((id) => `session_log_${id}.txt`), "async-sessions.env", "async-sessions-details.json"].sort());
});

test("40,000 lines of a program that starts sessions all the time are all kept, once and whole, while others are taken out", async () => {
  const ids = idsOf(100);
  await using tracking = await aTracking({ env: envOf(ids), details: detailsOf(ids) });
  const writer = await startChild([process.execPath, appendLines, tracking.env, "40000", "1"]);
  await until(() => writer.said().includes("ready"));
  writer.process.stdin?.write("go\n");
  await until(() => writer.said().includes("begun"));
  let taken = 0;
  while (!writer.said().includes("ended")) expect(await tracking.forget(ids[taken++] ?? "")).toEqual({ kind: "recorded" });
  expect(await writer.ended).toBe(0);
  expect(taken).toBeGreaterThanOrEqual(3);
  const lines = tracking.texts().env.split("\n");
  expect(lines.filter((line) => !/^\d+$/.test(line)).join("\n")).toBe(envOf(ids.slice(taken)));
  const appended = lines.filter((line) => /^\d+$/.test(line)).map(Number);
  expect(appended.length).toBe(40_000);
  expect(new Set(appended)).toEqual(new Set(Array.from({ length: 40_000 }, (_, at) => at)));
});

test("killed before or amid any step, each file is the old one or the new one, whole, and the next time brings all to an end", async () => {
  const ids = idsOf(20);
  const old = { env: envOf(ids), details: detailsOf(ids) };
  const fresh = { env: envOf(ids.slice(1)), details: detailsOf(ids.slice(1)) };
  const states = new Set<string>();
  let steps = 0;

  const cutOffAt = async (at: string): Promise<boolean> => {
    await using tracking = await aTracking({ ...old, others: ["session_log_ses_0"] });
    const isThrough = !(await isCutOff(tracking, at));
    const { env, details } = tracking.texts();
    expect([old.env, fresh.env]).toContain(env);
    expect([old.details, fresh.details]).toContain(details);
    states.add(`${env === old.env ? "old" : "new"} ${details === old.details ? "old" : "new"}`);
    expect((await tracking.forget("ses_0")).kind).toMatch(/^(recorded|alreadySo)$/);
    expect(tracking.texts()).toEqual(fresh);
    const known = [tracking.env, tracking.details].map((path) => basename(path));
    expect(
      tracking
        .names()
        .filter((name) => !name.endsWith(".tmp"))
        .sort(),
    ).toEqual(known.sort());
    return isThrough;
  };
  const cutOffOneAfterTheOther = async (when: string): Promise<void> => {
    for (let at = 1; !(await cutOffAt(`${when} ${at}`)); at++) steps++;
  };
  await Promise.all([cutOffOneAfterTheOther("before"), cutOffOneAfterTheOther("amid")]);
  expect(steps).toBeGreaterThan(20);
  // Else nothing would be shown: it has been cut off while all was old, in between, and when all was new.
  expect([...states].sort()).toEqual(["new new", "new old", "old old"]);
});

async function isCutOff({ env, details }: { readonly env: string; readonly details: string }, at: string): Promise<boolean> {
  const argv = [quietly, "--import", endAt, forgetMany, env, details, "at once", "ses_0"];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, argv, { env: { ...process.env, END_AT: at } });
    expect(stdout).toBe("recorded\n");
    return false;
  } catch (error) {
    if (error instanceof Error && "signal" in error && error.signal === "SIGKILL") return true;
    throw error;
  }
}

test("a program that rewrites the details all the time, and takes no lock, never gets a text that is not whole; what it undoes is told", async () => {
  const ids = idsOf(40);
  await using tracking = await aTracking({ env: "", details: detailsOf(ids) });
  const program = `import json, os, sys, time
path = sys.argv[1]
print("ready", flush=True)
for at in range(400):
  rows = json.load(open(path))
  rows = [row for row in rows if row["session_id"] != "mine"] + [{"session_id": "mine", "at": at}]
  with open(path + ".tmp", "w") as file: json.dump(rows, file)
  os.rename(path + ".tmp", path)
  time.sleep(0.003)
`;
  const rewriter: Child = await startChild(["python3", "-c", program, tracking.details]);
  await until(() => rewriter.said().includes("ready"));
  const outcomes = new Map<string, string>();
  for (const id of ids.slice(0, 12)) {
    const outcome = await forgetIn(tracking.source, id);
    outcomes.set(id, outcome.kind === "failed" ? outcome.reason : outcome.kind);
  }
  expect(await rewriter.ended).toBe(0);
  const left = new Set((JSON.parse(readFileSync(tracking.details, "utf8")) as { readonly session_id: string }[]).map((row) => row.session_id));
  for (const id of ids.slice(12)) expect(left).toContain(id);
  for (const [id, words] of outcomes) if (words === "recorded") expect([id, left.has(id)]).toEqual([id, false]);
  for (const words of outcomes.values()) expect(words).toMatch(/^recorded$|^another program has written it|writes it all the time$/);
  expect([...outcomes.values()]).toContain("recorded");
});
