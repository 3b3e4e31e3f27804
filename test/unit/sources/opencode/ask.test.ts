import { expect, test } from "vitest";
import { calledOf, classic, service, untouched } from "./aClient.ts";

test.for(["", "ses_", "ses_a/b", "ses_a%2Fb", "..", "ses_..", "ses_a ", " ses_a", "SES_A", "ses_a\n", "ses_ä", "ses_a?x=1", "per_b2"])(
  "an id that is none (%j) is never sent",
  async (id) => {
    for (const { client, server } of [await classic(), await service()]) {
      for (const call of [
        client.read(id, undefined, untouched),
        client.activePermissions(id, untouched),
        client.messages(id, "/srv/api", 1, untouched),
        client.abort(id, "/srv/api", untouched),
        client.interrupt(id, untouched),
        client.remove(id, undefined, untouched),
        client.findSession(id, untouched),
        client.replyActive(id, "per_b2", "once", untouched),
      ])
        expect((await call).kind).toMatch(client.version === "v1" ? /^failed$/ : /^(?:failed|noSuchCall)$/);
      expect(calledOf(server)).toEqual([]);
    }
  },
);

test.for(["", "per_", "per_a/b", "..", "per_b 2", "PER_b", "ses_a1"])("a request's id that is none (%j) is never sent", async (id) => {
  const { client, server } = await classic();
  expect((await client.reply(id, "/srv/api", "once", untouched)).kind).toBe("failed");
  expect((await client.replyActive("ses_a1", id, "once", untouched)).kind).toBe("failed");
  expect(calledOf(server)).toEqual([]);
});

test.for(["/srv/two words", "/srv/größe/日本語", "/srv/a&b=c#d?e", "/srv/100%/%2F", "/srv/a+b", "C:\\work\\api", "/srv/'quotes\""])(
  "a directory arrives as it is: %s",
  async (directory) => {
    const { client, server } = await classic({ "GET /session/status": {}, "POST /session/ses_a1/abort": true });
    expect(await client.runs(directory, untouched)).toEqual({ kind: "ok", value: new Map() });
    expect(await client.abort("ses_a1", directory, untouched)).toEqual({ kind: "ok", value: true });
    const asked = server.requests.map(({ url }) => new URL(url, "http://x").searchParams.get("directory")).filter((each) => each !== null);
    expect(asked).toEqual([directory, directory]);
  },
);

test.for(["", "srv/api", ".", "/srv/\ud800"])("a directory that would mean another (%j) is never sent", async (directory) => {
  const { client, server } = await classic({ "POST /instance/dispose": true });
  expect((await client.disposeDirectory(directory, untouched)).kind).toBe("failed");
  expect(calledOf(server)).toEqual([]);
});
