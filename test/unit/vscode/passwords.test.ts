import { expect, it } from "vitest";
import { passwordsIn } from "../../../src/vscode/passwords.ts";

const secret = { user: "opencode", password: 'pass: "word"' };

it("a password is of its own origin, and of no other", async () => {
  const { passwords } = place();
  await passwords.keep("http://127.0.0.1:4096", secret);
  expect(await passwords.passwordOf("http://127.0.0.1:4096")).toEqual(secret);
  expect(await passwords.passwordOf("http://127.0.0.1:4096/some/path")).toEqual(secret);
  for (const other of [
    "http://127.0.0.1:4097",
    "http://localhost:4096",
    "https://127.0.0.1:4096",
    "http://127.0.0.1:4096@evil.example:4096",
    "127.0.0.1:4096",
    "",
  ])
    expect(await passwords.passwordOf(other)).toBeUndefined();
});

it("what is forgotten is gone, and the others stay", async () => {
  const { passwords, kept } = place();
  await passwords.keep("http://b:1", secret);
  await passwords.keep("http://a:1/", secret);
  await passwords.keep("http://a:1", { ...secret, password: "newer" });
  expect(await passwords.origins()).toEqual(["http://a:1", "http://b:1"]);
  await passwords.forget("http://a:1");
  expect(await passwords.origins()).toEqual(["http://b:1"]);
  expect(await passwords.passwordOf("http://a:1")).toBeUndefined();
  expect([...kept.values()].join()).not.toContain("newer");
});

it("only what was entered in this window is meant for whoever listens there", async () => {
  const { passwords, kept } = place();
  await passwords.keep("http://a:1", secret);
  expect([passwords.isMeantFor("http://a:1"), passwords.isMeantFor("http://a:2"), passwords.isMeantFor("")]).toEqual([true, false, false]);
  expect(place(kept).passwords.isMeantFor("http://a:1")).toBe(false);
  expect(await place(kept).passwords.passwordOf("http://a:1")).toEqual(secret);
  await passwords.forget("http://a:1");
  expect(passwords.isMeantFor("http://a:1")).toBe(false);
});

it("what is no address keeps nothing, and a broken entry is none", async () => {
  const { passwords, kept } = place();
  await expect(passwords.keep("a server", secret)).rejects.toThrow("is no address of a server");
  expect(kept.size).toBe(0);
  kept.set("opencode http://a:1", "{");
  kept.set("opencode", "7");
  expect(await passwords.passwordOf("http://a:1")).toBeUndefined();
  expect(await passwords.origins()).toEqual([]);
});

function place(kept = new Map<string, string>()) {
  const passwords = passwordsIn({
    get: async (key) => kept.get(key),
    store: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  });
  return { passwords, kept };
}
