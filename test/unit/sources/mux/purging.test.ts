import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { now, talk } from "../../../support/facets.ts";
import { aFolder } from "../../../support/folder.ts";
import { id, identity, make, mine, other, purge, purged, seenByPython } from "./aPurge.ts";
import type { Twin } from "./aPurge.ts";

const purgedRow = {
  name: mine.name,
  status: "terminated",
  pane: { cwd: "/w" },
  claude_session_id_own: null,
  resumable: false,
  note: "stays",
  terminated_at: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
  terminated_at_epoch: now / 1000,
  termination_mode: "purge",
};
const emptied = { claude: { project_cwd: "/w", session_id: null, session_jsonl: null, mark: "stays" }, cline: { project_cwd: "/w", session_id: "c" } };

test.each<Twin>(["none", "sessions", "state", "both"])("a purged row says so, and its id and screen are nowhere: twin %s", async (twin) => {
  await using folder = await aFolder();
  const path = make(folder.path, { twin });
  expect(await purge(path)).toEqual({ kind: "recorded" });
  const seen = seenByPython(path);
  expect(seen.yaml).toEqual({ rows: [purgedRow, other], identities: emptied });
  if (twin !== "none") expect(seen.twin).toEqual({ rows: [purgedRow, other], identities: twin === "sessions" ? {} : emptied });
  for (const file of ["agents.yaml", "agents.db", "agents.db-wal"].map((name) => join(folder.path, name)).filter((each) => existsSync(each))) {
    const bytes = readFileSync(file, "latin1");
    expect([bytes.includes(id), bytes.includes("SECRET")]).toEqual([false, false]);
  }
  const before = readFileSync(path);
  expect([await purge(path), readFileSync(path).equals(before)]).toEqual([{ kind: "alreadySo" }, true]);
});

test("only the lines of that row and of its cache entry change", async () => {
  await using folder = await aFolder();
  const path = make(folder.path, {});
  const text = readFileSync(path, "utf8")
    .replace("agent_identities:", "# by hand\nagent_identities:")
    .replace("session_lines: 3", "session_lines: 3 # counted");
  writeFileSync(path, `${text}# the end\r\n`);
  await purge(path);
  const kept = readFileSync(path, "utf8").split("\n");
  const lost = `${text}# the end\r\n`.split("\n").filter((line) => !kept.includes(line));
  expect(lost).toEqual([
    `  claude_session_id_own: ${id}`,
    "  last_visible_status_at_termination: SECRET screen",
    `    session_id: ${id}`,
    `    session_jsonl: /x/${id}.jsonl`,
    "    session_size_bytes: 12",
    "    session_lines: 3 # counted",
  ]);
  expect(kept.filter((line) => line.startsWith("#"))).toEqual(["# by hand", "# the end\r"]);
});

test.each<[string, object]>([
  ["another id", { claude: { ...identity, session_id: "B" } }],
  ["another workspace", { claude: { ...identity, project_cwd: "/elsewhere" } }],
  ["no workspace", { claude: { session_id: id } }],
  ["another agent", { cline: { ...identity } }],
])("the cache of %s is left alone", async (_what, identities) => {
  await using folder = await aFolder();
  const path = make(folder.path, { identities });
  expect(await purge(path)).toEqual({ kind: "recorded" });
  expect(seenByPython(path).yaml.identities).toEqual(identities);
});

test.each([
  [
    "agy",
    { conversation_id: id, conversation_db: "/x", conversation_brain_dir: "/y" },
    { conversation_id: null, conversation_db: null, conversation_brain_dir: null },
  ],
  ["hermes", { session_id: id, note: 1 }, { session_id: null, note: 1 }],
  ["cline", { session_id: id }, { session_id: null }],
  ["codex", { conversation_id: id }, { conversation_id: null }],
] as const)("%s has its own keys in the cache", async (agent, before, after) => {
  await using folder = await aFolder();
  const row = { name: `app-creator-${agent}`, status: "stopped", pane: { cwd: "/w" }, [`${agent}_conversation_id_own`]: id };
  const path = make(folder.path, { rows: [row], identities: { [agent]: { project_cwd: "/w", ...before } } });
  expect(await purge(path, { name: row.name, change: { ...purged, conversation: { ...talk(id), agent } } })).toEqual({ kind: "recorded" });
  expect(seenByPython(path).yaml.identities).toEqual({ [agent]: { project_cwd: "/w", ...after } });
});

test("a workspace is the same by whatever way it is named", async () => {
  await using folder = await aFolder();
  const [real, link] = [join(folder.path, "real"), join(folder.path, "link")];
  mkdirSync(real);
  symlinkSync(real, link);
  const path = make(folder.path, { rows: [{ ...mine, pane: { cwd: link } }], identities: { claude: { ...identity, project_cwd: real } } });
  await purge(path);
  expect(seenByPython(path).yaml.identities["claude"]?.["session_id"]).toBe(null);
});

test("a row that has another conversation by now is left alone", async () => {
  await using folder = await aFolder();
  const path = make(folder.path, { rows: [{ ...mine, claude_session_id_own: "newer" }] });
  const before = readFileSync(path, "utf8");
  expect([(await purge(path))?.kind, readFileSync(path, "utf8")]).toEqual(["changedMeanwhile", before]);
});

test.each([
  ["started again", "status: stopped", "status: running"],
  ["given another id", `own: ${id}`, "own: newer"],
])("a row that was %s since the look is left alone", async (_what, from, to) => {
  await using folder = await aFolder();
  const path = make(folder.path, { rows: [mine] });
  const text = readFileSync(path, "utf8").replace(from, to);
  expect((await purge(path, { meanwhile: () => writeFileSync(path, text) }))?.kind).toBe("changedMeanwhile");
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("a cache entry that only points to another is not written, and nothing else is", async () => {
  await using folder = await aFolder();
  const path = make(folder.path, { identities: {} });
  const text = readFileSync(path, "utf8").replace("agent_identities: {}", `agent_identities:\n  hermes: &x {project_cwd: /w, session_id: ${id}}\n  claude: *x`);
  writeFileSync(path, text);
  expect((await purge(path))?.kind).toBe("failed");
  expect(readFileSync(path, "utf8")).toBe(text);
});

test.each<Twin>(["sessions", "state"])("a YAML that a purge was cut off before is brought in order by the next: twin %s", async (twin) => {
  await using folder = await aFolder();
  const path = make(folder.path, { twin });
  const before = readFileSync(path);
  await purge(path);
  const after = readFileSync(path);
  writeFileSync(path, before);
  expect([await purge(path), readFileSync(path).equals(after)]).toEqual([{ kind: "alreadySo" }, true]);
});
