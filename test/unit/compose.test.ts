import { expect, test } from "vitest";
import { stateFolderOf } from "../../src/compose.ts";

test.each<[string, { [name: string]: string }, string]>([
  ["nothing is said", {}, "/home/me/.local/state/session-warden"],
  ["the user's own state folder is elsewhere", { XDG_STATE_HOME: "/srv/state" }, "/srv/state/session-warden"],
  ["it is empty", { XDG_STATE_HOME: "" }, "/home/me/.local/state/session-warden"],
  ["it is relative, which is no place", { XDG_STATE_HOME: "state" }, "/home/me/.local/state/session-warden"],
  ["the editor hands its own on", { XDG_STATE_HOME: "/srv/state", SESSION_WARDEN_STATE_FOLDER: "/home/me/books" }, "/home/me/books"],
  ["what is handed on is relative", { SESSION_WARDEN_STATE_FOLDER: "books" }, "/home/me/.local/state/session-warden"],
])("where books and locks are when %s", (_what, environment, folder) => {
  expect(stateFolderOf(environment, "/home/me")).toBe(folder);
});
