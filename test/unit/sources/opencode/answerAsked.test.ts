import { expect, test } from "vitest";
import { reply } from "../../../../src/sources/opencode/answerAsked.ts";
import { json, playOpencode } from "../../../support/playedOpencode.ts";
import type { PlayedOpencode } from "../../../support/playedOpencode.ts";
import { lookAtPlayed, runIn } from "../../../support/serverLooks.ts";

const { signal } = new AbortController();

/** A root whose sub-agent asks, in the folder of both. */
async function asking(): Promise<PlayedOpencode> {
  const played = await playOpencode();
  played.sessions.set("ses_root", { directory: "/app" }).set("ses_child", { directory: "/app", parentID: "ses_root", title: "docs" });
  played.busy.set("ses_root", "/app").set("ses_child", "/app");
  played.permissions.push({ id: "per_1", sessionID: "ses_child", command: "rm -rf build" });
  return played;
}

const deedsOf = (played: PlayedOpencode) =>
  played.requests.filter(({ method }) => method !== "GET").map(({ url, body }) => `${decodeURIComponent(url)} ${body}`);

test.each([
  ["allow", "once"],
  ["deny", "reject"],
] as const)("%s on the row of the root is %s to the sub-agent's very request, and nothing else is answered", async (word, said) => {
  await using played = await asking();
  const look = await lookAtPlayed(played);
  played.permissions.push({ id: "per_2", sessionID: "ses_root", command: "ls" });
  const run = runIn([look], "ses_root");
  expect(run.asks).toEqual({ id: "per_1", tool: "bash", input: "rm -rf build" });
  expect(await reply(run, word, look, signal)).toBeUndefined();
  expect(deedsOf(played)).toEqual([`/permission/per_1/reply?directory=/app {"reply":"${said}"}`]);
  expect(played.permissions.map(({ id }) => id)).toEqual(["per_2"]);
  expect(played.undeclared()).toEqual([]);
});

test("the second engine's question is answered by its own call", async () => {
  await using played = await playOpencode();
  played.sessions.set("ses_a", { directory: "/app" });
  played.active.add("ses_a");
  played.activePermissions.push({ id: "per_9", sessionID: "ses_a", command: "ls" });
  const look = await lookAtPlayed(played);
  expect(await reply(runIn([look], "ses_a"), "allow", look, signal)).toBeUndefined();
  expect(deedsOf(played)).toEqual([`/api/session/ses_a/permission/per_9/reply {"reply":"once"}`]);
});

test("what no longer asks for it is given no answer, however much it still stands in the server's list", async () => {
  await using played = await asking();
  const run = runIn([await lookAtPlayed(played)], "ses_root");
  played.busy.clear();
  const idle = await lookAtPlayed(played);
  expect(played.permissions).toHaveLength(1);
  expect(await reply(run, "allow", idle, signal)).toMatchObject({ kind: "refused", reason: "unsupported" });
  played.busy.set("ses_root", "/app").set("ses_child", "/app");
  played.permissions[0] = { id: "per_2", sessionID: "ses_child", command: "curl evil.example" };
  expect(await reply(run, "allow", await lookAtPlayed(played), signal)).toMatchObject({ kind: "refused", reason: "unsupported" });
  expect(deedsOf(played)).toEqual([]);
});

test("an answer that the server does not take is a refusal", async () => {
  await using played = await asking();
  const look = await lookAtPlayed(played);
  played.instead.set("POST /permission/{}/reply", json({ name: "PermissionNotFoundError" }, 404));
  expect(await reply(runIn([look], "ses_root"), "allow", look, signal)).toMatchObject({ kind: "refused", reason: "unreachable" });
});
