import { expect, test } from "vitest";
import { clientsOf, hasTcpClient, hasUnixClient, waitingPlace } from "../../../src/system/clients.ts";
import { startChild } from "../../support/children.ts";

const own = new Set(["10", "11", "12"]);
const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
const tcp = (local: string, remote: string, state: string, inode: string): string =>
  `   0: 0100007F:${local} 0100007F:${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000 100`;

test.each([
  ["nobody is connected", [tcp("1F90", "0000", "0A", "10")], false],
  ["somebody is", [tcp("1F90", "0000", "0A", "10"), tcp("1F90", "C000", "01", "11"), tcp("C000", "1F90", "01", "99")], true],
  ["somebody waits to be accepted", [tcp("1F90", "0000", "0A", "10"), tcp("1F90", "C000", "01", "0")], true],
  ["it is connected with itself", [tcp("1F90", "0000", "0A", "10"), tcp("1F90", "C000", "01", "11"), tcp("C000", "1F90", "01", "12")], false],
  ["it is a client of another's", [tcp("1F90", "0000", "0A", "98"), tcp("1F90", "C000", "01", "99"), tcp("C000", "1F90", "01", "12")], false],
  ["somebody has just left", [tcp("1F90", "0000", "0A", "10"), tcp("1F90", "C000", "06", "0")], false],
])("by TCP, where %s: %o", (_what, rows, expected) => {
  expect(hasTcpClient([head, ...rows].join("\n"), own)).toBe(expected);
});

const unix = (flags: string, state: string, inode: string, path = ""): string => `0000000000000000: 00000002 00000000 ${flags} 0001 ${state} ${inode} ${path}`;

test.each([
  ["nobody is connected", [unix("00010000", "01", "10", "/tmp/a b")], false],
  ["somebody is", [unix("00010000", "01", "10", "/tmp/a b"), unix("00000000", "03", "11", "/tmp/a b")], true],
  ["it is a client of another's", [unix("00010000", "01", "98", "/tmp/a b"), unix("00000000", "03", "99", "/tmp/a b"), unix("00000000", "03", "11")], false],
  ["another listens at that path", [unix("00010000", "01", "98", "/tmp/a"), unix("00000000", "03", "11", "/tmp/b")], false],
])("by a Unix socket, where %s: %o", (_what, rows, expected) => {
  expect(hasUnixClient(rows.join("\n"), own)).toBe(expected);
});

test("a child that has ended meanwhile has nobody connected to it; of one that is gone itself nothing is known", async () => {
  const [sleeper, gone] = [await startChild(["sleep", "60"], { stdio: "ignore" }), await startChild(["true"])];
  await gone.ended;
  expect(await clientsOf([sleeper.pid, gone.pid])).toBe("none");
  expect(await clientsOf([gone.pid, sleeper.pid])).toBe("unknown");
});

test.each([
  ["in a folder of the user's own programs", "/home/me/.cache/git/credential/socket", "~/.cache/git/credential/socket"],
  ["in the user's folder of this login", "/run/user/1000/gnupg/S.gpg-agent", "/run/user/1000/gnupg/S.gpg-agent"],
  ["in a project", "/home/me/app/tmp/puma.sock", undefined],
  ["in a temporary folder", "/tmp/tsx-0/12.pipe", undefined],
])("a service that listens %s waits for whoever comes: %s", (_what, path, expected) => {
  const rows = [unix("00010000", "01", "10", path), unix("00010000", "01", "98", "/run/dbus"), unix("00000000", "03", "11", "/home/me/.cache/x")];
  expect(waitingPlace(rows.join("\n"), own, "/home/me")).toBe(expected);
});
