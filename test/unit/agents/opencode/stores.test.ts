import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { opencode } from "../../../../src/agents/opencode/opencode.ts";
import { runPython } from "../../../support/python.ts";
import { eraseAll, holding, planIn, residueOf, treeOf } from "../aHome.ts";
import { noAbort } from "../seen.ts";
import { aDataHome, child, id, names, other, plan, putOpencode } from "./aDataHome.ts";
import type { DataHome } from "./aDataHome.ts";

test("where no server has it, what it leads to goes first, then its rows by OpenCode's own command, and then its lines in the log", async () => {
  const place = await aDataHome();
  putOpencode(place);
  place.put(".local/share/opencode/log/opencode.log", `a ${id} x\nb ${other} x\nc ${child}\nd ${id} ${other}\ne permission=bash pattern="rm -r x"\nf ${id}1\n`);
  const kept = await plan(place);
  expect(names(kept)).toEqual([
    "a long output of a tool: tool_1",
    "a long output of a tool: tool_2",
    "its rows in OpenCode's database: opencode.db",
    "its lines in OpenCode's log: opencode.log",
  ]);
  expect(kept.family).toEqual([child]);
  expect(kept.stores[2]?.belongsBecause).toBe("15 rows are of ses_a1, with 1 session of a sub-agent");
  expect(kept.leftAlone.map(({ path, why, holds }) => [path.split("/").at(-1), why, holds])).toEqual([
    ["tool_3", "another session names it too, such as one that was forked from this", "text"],
    ["tool_4", "no session names it, and it was written when this one was at work, as by a tool that was cut off", "text"],
    ["opencode.log", "some of its lines name other sessions too", "id"],
  ]);

  expect((await eraseAll(kept)).map(([, outcome]) => outcome)).toEqual(["erased", "erased", "erased", "erased"]);
  expect(await residueOf(kept)).toEqual([]);
  expect(await kept.stores[2]?.mayRemain?.(noAbort)).toContain("its own program writes over them in time");
  expect(readFileSync(join(place.home, "log/opencode.log"), "utf8")).toBe(`b ${other} x\nd ${id} ${other}\ne permission=bash pattern="rm -r x"\nf ${id}1\n`);
  expect(sessionsIn(place)).toEqual([other]);
  expect(["tool_3", "tool_4"].map((name) => existsSync(join(place.home, "tool-output", name)))).toEqual([true, true]);
  expect((await plan(place)).stores).toEqual([]);
});

test("its command is run in its own folder, toward its own home, and without plugins", async () => {
  const place = await aDataHome();
  putOpencode(place);
  vi.stubEnv("OPENCODE_PURE", "0");
  await eraseAll(await plan(place));
  expect(
    readFileSync(place.ran, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    [
      ["session", "delete", "--pure", "--log-level", "ERROR", id],
      place.home,
      { XDG_DATA_HOME: join(place.root, ".local/share"), OPENCODE_DB: null, OPENCODE_PURE: "1", OPENCODE_DISABLE_PROJECT_CONFIG: "1" },
    ],
  ]);
});

test("a server that has it deletes its rows itself", async () => {
  const place = await aDataHome();
  putOpencode(place);
  const kept = await opencode.stores?.(
    { conversation: { agent: "opencode", id, toldBy: "agent", home: place.home }, cwd: undefined, configHomes: [], isServed: true },
    noAbort,
  );
  expect(kept && names(kept)).toEqual(["a long output of a tool: tool_1", "a long output of a tool: tool_2"]);
});

test.each<["fails" | "does nothing" | undefined, RegExp]>([
  ["fails", /^`opencode session delete` refused it: database is locked; run `opencode session delete ses_a1` where it is/],
  ["does nothing", /^OpenCode's own command left rows of it: run `opencode session delete ses_a1`/],
  [undefined, /^opencode is not on PATH: run `opencode session delete ses_a1` where it is, in an empty folder and with XDG_DATA_HOME/],
])("where its command %s the rows are blocked, and what to do is said", async (ending, reason) => {
  const place = await aDataHome();
  if (ending) putOpencode(place, ending);
  else vi.stubEnv("PATH", place.root);
  onTestFinished(() => void vi.unstubAllEnvs());
  const kept = await plan(place);
  const [, , rows] = await eraseAll(kept);
  expect(rows?.[1]).toMatch(reason);
  expect(await residueOf(kept)).toEqual([`15 rows of ${place.database}`]);
});

test("without a fork both outputs are its own, and a second purge goes on where one was cut off", async () => {
  const place = await aDataHome({ fork: false });
  putOpencode(place);
  const [first] = (await plan(place)).stores;
  await first?.erase(noAbort);
  const again = await plan(place);
  expect(names(again)).toEqual(["a long output of a tool: tool_2", "a long output of a tool: tool_3", "its rows in OpenCode's database: opencode.db"]);
  await eraseAll(again);
  expect((await plan(place)).stores).toEqual([]);
  expect((await holding(join(place.home, "tool-output"), "SECRET")).map((path) => path.split("/").at(-1))).toEqual(["tool_4"]);
});

test("prompts that only it was asked go out of the prompt history; what another was asked too is told", async () => {
  const place = await aDataHome();
  putOpencode(place);
  const line = (input: string, ...pasted: readonly string[]): string =>
    `${JSON.stringify({ input, parts: pasted.map((text) => ({ type: "text", text })), mode: "normal" })}\n`;
  const path = place.put(
    ".local/state/opencode/prompt-history.jsonl",
    [line("SECRET prompt"), line("asked both"), line("another's"), "no json\r\n", line("[Pasted ~1 lines]", "SECRET prompt"), line("[Pasted]", "not it")].join(
      "",
    ),
  );
  const kept = await plan(place);
  expect(names(kept)).toContain("its prompts in the prompt history: prompt-history.jsonl");
  expect(kept.leftAlone.map(({ path: at, why }) => [at, why])).toContainEqual([path, "some of what it was asked another session was asked too"]);
  await eraseAll(kept);
  expect(readFileSync(path, "utf8")).toBe([line("asked both"), line("another's"), "no json\r\n", line("[Pasted]", "not it")].join(""));
});

test("files of the earlier storage that are called by its id, and its messages' parts, go", async () => {
  const place = await aDataHome();
  const storage = ".local/share/opencode/storage";
  const own = [`session/global/${id}.json`, `session_diff/${id}.json`, `message/${id}/msg_1.json`, `part/msg_1/prt_1.json`, `todo/${child}.json`];
  const others = [`session/global/${id}1.json`, `session_diff/${other}.json`, `message/${other}/msg_2.json`, "part/msg_2/prt_1.json", `project/${id}x.json`];
  for (const path of [...own, ...others]) place.put(`${storage}/${path}`, "x");
  putOpencode(place);
  await eraseAll(await plan(place));
  const left = [...(await treeOf(join(place.root, storage)))].flatMap(([path, kind]) =>
    kind === "a folder" ? [] : [path.slice(join(place.root, storage).length + 1)],
  );
  expect(left.sort()).toEqual([...others].sort());
});

test("an output that is a link is not followed", async () => {
  const place = await aDataHome();
  const secret = place.put("elsewhere", "x");
  runPython("import os, sys; os.remove(sys.argv[1])", null, [join(place.home, "tool-output/tool_1")]);
  symlinkSync(secret, join(place.home, "tool-output/tool_1"));
  putOpencode(place);
  expect((await eraseAll(await plan(place)))[0]?.[1]).toBe("it is a symbolic link");
  expect(existsSync(secret)).toBe(true);
});

test.each(["../ses_a1", "ses_a1/..", "ses_", "ses_a1 ", "-ses_a1", "%"])("what is no id of OpenCode's has no stores: %s", async (hostile) => {
  expect(await plan(await aDataHome(), hostile)).toEqual({ stores: [], leftAlone: [] });
});

test("where there is no OpenCode there is nothing of it, and nothing is made", async () => {
  const place = await aDataHome();
  const home = join(place.root, "none/.local/share/opencode");
  expect(await planIn(opencode, home, id)).toEqual({ stores: [], leftAlone: [] });
  expect(existsSync(join(place.root, "none"))).toBe(false);
});

test("a database that can't be read is blocked, with what to run", async () => {
  const place = await aDataHome();
  place.put(".local/share/opencode/opencode.db", "not a database, and long enough to look like one".repeat(40));
  const kept = await plan(place);
  expect((await eraseAll(kept)).map(([, outcome]) => outcome)).toEqual([expect.stringContaining("it can't be read: run `opencode session delete")]);
  expect(await residueOf(kept)).toEqual([`${place.database}: it can't be read`]);
});

function sessionsIn({ database }: DataHome): unknown {
  return runPython("import json, sqlite3, sys; print(json.dumps([i for i, in sqlite3.connect(sys.argv[1]).execute('SELECT id FROM session')]))", null, [
    database,
  ]);
}
