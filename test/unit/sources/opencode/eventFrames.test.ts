import { expect, test } from "vitest";
import { eventFrames } from "../../../../src/sources/opencode/eventFrames.ts";
import { serverEvent } from "../../../../src/sources/opencode/serverEvent.ts";

test("frames are the same wherever they are cut, by any end of line", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const stream = ["data: a", "data:b", "", ": no", "data: c", "", "", "data", "", "data: "].join(end) + end + end + "data: unfinished";
    for (let cut = 0; cut <= stream.length; cut++) {
      const frames = eventFrames();
      const taken = [...frames.take(stream.slice(0, cut)), ...frames.take(""), ...frames.take(stream.slice(cut))];
      expect(taken).toEqual(["a\nb", "c", ""]);
      expect(frames.held()).toBe("data: unfinished".length);
    }
  }
});

test("a server that closes an instance names its directory", () => {
  expect(serverEvent('{"payload":{"type":"server.instance.disposed","properties":{"directory":"/srv/api"}}}')).toEqual({
    type: "server.instance.disposed",
    directory: "/srv/api",
    sessionId: undefined,
  });
});
