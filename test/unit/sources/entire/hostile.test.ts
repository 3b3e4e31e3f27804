import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { merge } from "../../../../src/core/merge.ts";
import { createEntireSource } from "../../../../src/sources/entire/entireSource.ts";
import { aRepository, aState, goText, soon, stateFolderOf, stoppedNow, tell, writeState } from "../../../support/entire.ts";
import type { StateOf } from "../../../support/entire.ts";
import { anAgent, censusOf } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { makePipe } from "../../system/aPipe.ts";

/** What may stand where anything else is expected. */
const oddities: readonly string[] = [
  "null",
  "0",
  "-1",
  "1e400",
  "-0.0",
  "18446744073709551616",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"x\\ny"',
  "[]",
  "[[[]]]",
  "{}",
  '{"__proto__":{"phase":"ended"}}',
  "true",
  '"-9999-01-01T00:00:00Z"',
  `"${"é".repeat(10_000)}"`,
];
const keys = [
  "phase",
  "owner",
  "kind",
  "started_at",
  "last_interaction_time",
  "files_touched",
  "task_records",
  "checkpoint_count",
  "agent_type",
  "last_prompt",
];
const deep = `${"[".repeat(300_000)}${"]".repeat(300_000)}`;

test("of 200 hostile files each is listed or counted, nothing crashes, and none is touched", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  const states = stateFolderOf(app);
  mkdirSync(states);
  writeFileSync(join(folder.path, "secret"), "{}");
  let made = 0;
  const put = (name: string, text: string | Buffer): void => {
    made++;
    writeFileSync(join(states, `${name}.json`), text);
  };

  // Listed: in a state of its own name one value is odd.
  for (const [at, key] of keys.entries())
    for (const [index, odd] of oddities.entries()) put(`odd-${at}-${index}`, goText(aState(`odd-${at}-${index}`, { [key]: "ODD" })).replace('"ODD"', odd));
  const proto = (id: string): string =>
    goText(aState(id)).replace("{", '{ "__proto__": {"session_id": "x", "phase": "ended"}, "constructor": 1, "toString": null,');
  put("proto", proto("proto"));
  put("deep", goText(aState("deep")).replace("{", `{ "deep": ${"[".repeat(9_000)}${"]".repeat(9_000)},`));
  put(
    "times",
    goText(aState("times", { started_at: "0001-01-01T00:00:00Z", ended_at: "9999-99-99T99:99:99Z", last_interaction_time: "-271821-04-20T00:00:00Z" })),
  );
  put("owner", goText(aState("owner", { owner: { pid: -1, start: "\u0000", boot: "../..", host: "a\nb", name: "\u001b[2J" } })));
  const listed = made;

  // Counted: no states of that name.
  const misnamed = (name: string, id: unknown): void => put(name, goText({ ...aState("x"), session_id: id }));
  for (const [at, id] of ["../../config", "a/b", "a\u0000b", ".", "..", "a:b", "*", "", " ", "-rf", "CON", "x".repeat(300), null, 7, ["a"]].entries())
    misnamed(`m${at}`, id);
  for (const id of ["con", "NUL", "com1.x", "LPT9", "ends.", "-rf", ".hidden", "ü", "a b", "a$(id)", "x".repeat(210), "Aux.txt", "prn", "a;b", "a'b"])
    put(id, goText(aState(id)));
  put("empty", "");
  put("words", "not json");
  put("list", `[${goText(aState("list"))}]`);
  put("nothing", "null");
  put("number", "1e400");
  put("cut", goText(aState("cut")).slice(0, -3));
  put("zero", Buffer.concat([Buffer.from(goText(aState("zero"))), Buffer.alloc(1)]));
  put("latin", Buffer.from(goText(aState("latin", { last_prompt: "é" })), "latin1"));
  put("mark", `\ufeff${goText(aState("mark"))}`);
  put("bottomless", deep);
  put("too-deep", goText(aState("too-deep")).replace("{", `{ "deep": ${deep},`));
  put("large", goText(aState("large")));
  truncateSync(join(states, "large.json"), 50 * 1024 * 1024);
  const odd = [
    () => symlinkSync(join(folder.path, "secret"), join(states, "link.json")),
    () => symlinkSync("/dev/zero", join(states, "endless.json")),
    () => symlinkSync("loop.json", join(states, "loop.json")),
    () => mkdirSync(join(states, "folder.json")),
    () => makePipe(join(states, "pipe.json")),
  ];
  for (const make of odd) make();
  made += odd.length;
  expect(made).toBeGreaterThan(200);

  const before = fingerprint(join(app, ".git"));
  const source = createEntireSource({ repositories: [app], agents: [anAgent(), anAgent({ id: "codex", name: "Codex" })] });
  for (let look = 0; look < 2; look++) {
    const { facets, unreachable, notices } = await source.read(censusOf(), soon());
    expect([facets.length, unreachable]).toEqual([listed, []]);
    expect(notices).toEqual([{ place: join(app, ".git"), sentence: `${made - listed} files of Entire in app/.git can't be read, and are left alone.` }]);
    expect(merge(facets, Date.now())).toHaveLength(listed);
    for (const facet of facets) expect((await source.lookAgain(facet, censusOf(), soon())).kind).toBe("seen");
  }
  expect(fingerprint(join(app, ".git"))).toEqual(before);
  expect(Object.keys(Object.prototype)).toEqual([]);

  // And when all that are listed are ended: each is whole, and still says the same of all else.
  for (const facet of (await source.read(censusOf(), soon())).facets) {
    const path = join(states, `${facet.key.slice("entire:".length, -"@000000".length)}.json`);
    const was = JSON.parse(readFileSync(path, "utf8")) as StateOf;
    const seen = await source.lookAgain(facet, censusOf(), soon());
    if (seen.kind !== "seen" || seen.facet.kind !== "record") expect.fail();
    const { kind } = await tell(source, seen.facet, stoppedNow());
    const is = JSON.parse(readFileSync(path, "utf8")) as StateOf;
    const isClosed = kind === "recorded" || seen.facet.says.value === "ended";
    expect([path, kind, is["phase"] === "ended" || typeof is["ended_at"] === "string"]).toEqual([
      path,
      expect.stringMatching(/^(recorded|alreadySo|failed)$/),
      isClosed,
    ]);
    expect(withoutOwn(is)).toEqual(withoutOwn(was));
  }
}, 120_000);

function withoutOwn(state: StateOf): readonly (readonly [string, unknown])[] {
  // What is nested so deep no test can compare.
  const own = ["deep", "phase", "ended_at", "last_interaction_time", "fully_condensed", "condensation_attempt"];
  return Object.entries(state).filter(([key]) => !own.includes(key));
}

test("a key of another place or with a way out of the folder finds nothing", async () => {
  await using folder = await aFolder();
  const app = aRepository(join(folder.path, "app"));
  writeState(app, aState("a"));
  const source = createEntireSource({ repositories: [app], agents: [] });
  const [facet] = (await source.read(censusOf(), soon())).facets;
  if (!facet) expect.fail();
  const mark = facet.key.slice(-6);
  for (const key of [`entire:../a@${mark}`, `entire:../../config@${mark}`, `entire:@${mark}`, "entire:a@000000", "entire:a", "entire:"] as const)
    expect([key, (await source.lookAgain({ ...facet, key }, censusOf(), soon())).kind]).not.toEqual([key, "seen"]);
  expect((await source.lookAgain({ ...facet, place: folder.path }, censusOf(), soon())).kind).toBe("notThere");
});

/** Of every file below a folder: its kind, what it holds, and when that was changed. */
function fingerprint(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const at = join(path, name);
      const { mode, size, ino, mtimeMs, ctimeMs } = lstatSync(at);
      const kind = lstatSync(at);
      const held = kind.isSymbolicLink() ? readlinkSync(at) : kind.isFile() ? createHash("sha256").update(readFileSync(at)).digest("hex") : "";
      return `${name} ${mode} ${size} ${ino} ${mtimeMs} ${ctimeMs} ${held}`;
    });
}
