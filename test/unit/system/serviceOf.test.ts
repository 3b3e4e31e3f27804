import { expect, test } from "vitest";
import { serviceOf, unitIn } from "../../../src/system/serviceOf.ts";
import { startChild } from "../../support/children.ts";

test.each([
  ["a service of the system", "0::/system.slice/opencode.service", "opencode.service"],
  ["a service of a user", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/opencode.service", "opencode.service"],
  ["a group below a service", "0::/system.slice/code.service/worker", "code.service"],
  ["both kinds of control groups", "0::/\n9:memory:/x.service\n1:name=systemd:/system.slice/opencode.service", "opencode.service"],
  ["a container", "0::/system.slice/docker-0a1b.scope", "docker-0a1b.scope"],
  ["a login", "0::/user.slice/user-1000.slice/session-3.scope", undefined],
  ["an application", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-code-1.scope", undefined],
  ["a terminal's tab", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope", undefined],
  ["a user's manager itself", "0::/user.slice/user-1000.slice/user@1000.service/init.scope", undefined],
  ["no units at all", "9:name=systemd:/\n4:memory:/sandbox/1\n0::/", undefined],
])("%s", (_what, groups, unit) => {
  expect(unitIn(groups)).toBe(unit);
});

test("what shares this program's own unit is not a service by that", async () => {
  const child = await startChild(["sleep", "60"]);
  expect(await serviceOf(child.pid)).toEqual({ kind: "none" });
});

test("of what is gone nothing is known", async () => {
  const child = await startChild(["true"]);
  await child.ended;
  expect(await serviceOf(child.pid)).toEqual({ kind: "unknown" });
});
