import { hostname, networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { isOnThisMachine, originIn } from "../../../../src/sources/opencode/origin.ts";

test.each([
  ["http://localhost:4096", "http://127.0.0.1:4096"],
  ["http://a.localhost.:4096/path?x", "http://127.0.0.1:4096"],
  ["http://0.0.0.0:4096", "http://127.0.0.1:4096"],
  ["127.0.0.1:5000", "http://127.0.0.1:5000"],
  ["https://user:secret@example.test/", "https://example.test"],
  ["ftp://example.test", undefined],
  ["http://[", undefined],
])("%s has the origin %s", (told, origin) => {
  expect(originIn(told)).toBe(origin);
});

test("this machine is known by each of its names and addresses, since anybody on it may sit on a port", () => {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = addresses.map(({ address, family }) => (family === "IPv6" ? `http://[${address}]:4096` : `http://${address}:4096`));
  const names = [`http://${hostname()}:4096`, "http://127.8.8.8:4096", "http://[::1]:4096", "http://[::ffff:127.0.0.1]:4096"];
  expect([...own, ...names].filter((origin) => !isOnThisMachine(originIn(origin) ?? origin))).toEqual([]);
});

test("another machine is not this one", () => {
  expect(["http://192.0.2.1:4096", "https://example.test", "http://[2001:db8::1]:4096"].filter(isOnThisMachine)).toEqual([]);
});
