import { expect, test } from "vitest";
import { eraseAll } from "../aHome.ts";
import { eachInAPlace, id, inDatabases, near, planFor, rowsWithout } from "./codexHome.ts";

const place = eachInAPlace();
const log = (home: string, row: Readonly<Record<string, string | number>>) => {
  inDatabases(home, (kind, add) => {
    if (kind === "logs") add("logs", { ts: 5_000, ts_nanos: 0, level: "INFO", target: "codex_app_server", ...row });
  });
};

test("a row of no conversation that names another too, and an answer that another's window drew, stay and are told", async () => {
  const { home } = place();
  const request = "01a22a3e-1111-7042-a002-7d09585aaaad";
  log(home, { feedback_log_body: `loaded threads: ${id}, ${near}` });
  log(home, { feedback_log_body: `request ${request} of ${id}` });
  log(home, { ts: 2_001, target: "codex_tui::markdown_stream", feedback_log_body: `push_delta: "${id} did this"` });
  const plan = await planFor(home, id);
  expect(plan.leftAlone).toMatchObject([{ name: "rows of other conversations in the log", holds: "id" }]);
  await eraseAll(plan);
  const rows = rowsWithout(home).filter((row) => row.startsWith("logs") && row.includes(id));
  expect(rows).toHaveLength(2);
  expect(rows.join("\n")).toContain("loaded threads");
  expect(rows.join("\n")).toContain("did this");
});

test("an answer that its own window drew goes, also where it names the id", async () => {
  const { home } = place();
  log(home, { ts: 1_001, target: "codex_tui::markdown_stream", feedback_log_body: `push_delta: "${id} is mine"` });
  await eraseAll(await planFor(home, id));
  expect(rowsWithout(home).filter((row) => row.includes("is mine"))).toEqual([]);
});
