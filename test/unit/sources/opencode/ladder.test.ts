import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Ladder, Remnant } from "../../../../src/core/ladder.ts";
import type { ServerLook } from "../../../../src/sources/opencode/look.ts";
import { withServerLadder } from "../../../../src/sources/opencode/serverLadder.ts";
import { openMachine } from "../../../../src/system/machine.ts";
import { findProcess } from "../../../../scripts/ownProcesses.ts";
import { until } from "../../../real/support/until.ts";
import { startChild } from "../../../support/children.ts";
import type { Answering } from "../../../support/fakeServer.ts";
import { aFolder } from "../../../support/folder.ts";
import { json, playOpencode } from "../../../support/playedOpencode.ts";
import type { PlayedOpencode } from "../../../support/playedOpencode.ts";
import { lookAtPlayed, runIn } from "../../../support/serverLooks.ts";

const { signal } = new AbortController();
const machine = await openMachine({ tmuxProgram: "tmux", tmuxSockets: [] });
const id = "ses_root";

async function busy(): Promise<PlayedOpencode> {
  const played = await playOpencode();
  played.sessions.set(id, { directory: "/app" });
  played.busy.set(id, "/app");
  return played;
}

async function climb<T>(looks: readonly ServerLook[], use: (ladder: Ladder) => Promise<T>, session = id): Promise<T> {
  const run = runIn(looks, session);
  const server = looks.find(({ server: { origin } }) => run.host.kind === "server" && run.host.url === origin)?.server;
  if (!server) throw new Error("no server");
  const climbed = await withServerLadder(run, { server, looks, machine, census: await machine.census(signal) }, use, signal);
  return climbed as T;
}

const deedsOf = (played: PlayedOpencode): readonly string[] => played.calls().filter((call) => !call.startsWith("GET"));

async function take(ladder: Ladder, does: RegExp, withinMs?: number): Promise<readonly Remnant[]> {
  const rung = ladder.rungs.find((each) => does.test(each.does));
  if (!rung) throw new Error(`no rung ${does}`);
  const taken = await rung.take(signal);
  if (taken.kind === "refused") throw new Error(JSON.stringify(taken));
  return ladder.settled(withinMs ?? rung.graceMs, signal);
}

test("a turn is ended by one abort in its own folder, and over is what stays so", async () => {
  await using played = await busy();
  await climb([await lookAtPlayed(played)], async (ladder) => {
    expect(ladder.ends).toBe("turn");
    expect(await ladder.remains(signal)).toEqual([{ kind: "turn", where: played.origin.slice("http://".length) }]);
    expect(await take(ladder, /abort/)).toEqual([]);
  });
  expect(deedsOf(played)).toEqual([`POST /session/${id}/abort?directory=/app`]);
  expect(played.undeclared()).toEqual([]);
});

test("an abort that is lost is asked again, and one that is only said is never believed", async () => {
  await using lossy = await busy();
  lossy.aborts.lost = 2;
  await climb([await lookAtPlayed(lossy)], async (ladder) => expect(await take(ladder, /abort/)).toEqual([]));
  expect(deedsOf(lossy)).toHaveLength(3);

  await using liar = await busy();
  liar.instead.set("POST /session/{}/abort", json(true));
  await climb([await lookAtPlayed(liar)], async (ladder) => {
    expect(await take(ladder, /abort/, 3_000)).toEqual([{ kind: "turn", where: liar.origin.slice("http://".length) }]);
  });
  expect(liar.undeclared()).toEqual([]);
});

test("a turn that begins after its abort, as on a cold folder, is seen and aborted too", async () => {
  await using played = await playOpencode();
  played.sessions.set(id, { directory: "/app", touchedAt: Date.now() });
  await climb([await lookAtPlayed(played)], async (ladder) => {
    const remains = ladder.remains(signal);
    played.busy.set(id, "/app");
    expect(await remains).toHaveLength(1);
    played.busy.delete(id);
    const settled = take(ladder, /abort/);
    await until(() => deedsOf(played).length === 1);
    await sleep(800);
    played.busy.set(id, "/app");
    expect(await settled).toEqual([]);
  });
  expect([...played.busy]).toEqual([]);
  expect(deedsOf(played)).toHaveLength(2);
});

test("what is idle, and was not touched lately, has nothing to be ended", async () => {
  await using played = await playOpencode();
  played.sessions.set(id, { directory: "/app" });
  await climb([await lookAtPlayed(played)], async (ladder) => expect(await ladder.remains(signal)).toEqual([]));
  expect(deedsOf(played)).toEqual([]);
});

test("each engine's turn is ended by its own call", async () => {
  await using second = await playOpencode();
  second.sessions.set(id, { directory: "/app" });
  second.active.add(id);
  await climb([await lookAtPlayed(second)], async (ladder) => expect(await take(ladder, /abort/)).toEqual([]));
  expect(deedsOf(second)).toEqual([`POST /api/session/${id}/interrupt`]);

  await using both = await busy();
  both.active.add(id);
  await climb([await lookAtPlayed(both)], async (ladder) => expect(await take(ladder, /abort/)).toEqual([]));
  expect(deedsOf(both).toSorted()).toEqual([`POST /api/session/${id}/interrupt`, `POST /session/${id}/abort?directory=/app`]);
});

test("its sub-agents are ended with it, the root first; a neighbour goes on", async () => {
  await using played = await busy();
  played.sessions.set("ses_child", { directory: "/app", parentID: id }).set("ses_grandchild", { directory: "/app", parentID: "ses_child" });
  played.sessions.set("ses_neighbour", { directory: "/app" });
  played.busy.set("ses_child", "/app").set("ses_grandchild", "/app").set("ses_neighbour", "/app");
  // Of its family only the one that was asked ends.
  played.instead.set("POST /session/{}/abort", (request, response) => {
    played.busy.delete(/ses_\w+/.exec(request.url)?.[0] ?? "");
    json(true)(request, response);
  });
  await climb([await lookAtPlayed(played)], async (ladder) => expect(await take(ladder, /abort/)).toEqual([]));
  expect([...played.busy.keys()]).toEqual(["ses_neighbour"]);
  expect(deedsOf(played)[0]).toBe(`POST /session/${id}/abort?directory=/app`);
});

test("a root that is idle while its sub-agent works is not over", async () => {
  await using played = await playOpencode();
  played.sessions.set(id, { directory: "/app" }).set("ses_child", { directory: "/app", parentID: id });
  played.busy.set("ses_child", "/app");
  await climb([await lookAtPlayed(played)], async (ladder) => {
    expect(await ladder.remains(signal)).toHaveLength(1);
    expect(await take(ladder, /abort/)).toEqual([]);
  });
  expect([...played.busy]).toEqual([]);
});

test("a run whose session was deleted is ended by its id, in the folder where it was found", async () => {
  await using played = await playOpencode();
  played.busy.set("ses_ghost", "/app");
  await climb([await lookAtPlayed(played)], async (ladder) => expect(await take(ladder, /abort/)).toEqual([]), "ses_ghost");
  expect([deedsOf(played), [...played.busy]]).toEqual([["POST /session/ses_ghost/abort?directory=/app"], []]);
});

test("of two servers on one database the one that runs it is asked, and the other's word that it is idle is not believed", async () => {
  await using owner = await busy();
  await using other = await playOpencode();
  other.sessions.set(id, { directory: "/app" });
  await climb([await lookAtPlayed(other), await lookAtPlayed(owner)], async (ladder) => {
    expect(await ladder.remains(signal)).toHaveLength(1);
    expect(await take(ladder, /abort/)).toEqual([]);
  });
  expect([deedsOf(owner).length, deedsOf(other)]).toEqual([1, []]);
});

test("at work on two servers at once it is ended on both, and on each by force", async () => {
  await using one = await busy();
  await using other = await busy();
  await climb([await lookAtPlayed(one), await lookAtPlayed(other)], async (ladder) => {
    expect(await ladder.remains(signal)).toHaveLength(2);
    expect(await take(ladder, /abort/)).toEqual([]);
    expect(ladder.rungs.filter(({ does }) => does.startsWith("ends every turn in")).map(({ does }) => does)).toEqual(
      [one, other].map(({ origin }) => `ends every turn in /app on ${origin.slice("http://".length)}`),
    );
  });
  expect([deedsOf(one).length, deedsOf(other).length]).toEqual([1, 1]);
});

test("a server that refuses the abort, or dies at it, has done nothing, and says so", async () => {
  const hangsUp: Answering = (_, response) => void response.destroy();
  for (const answer of [json({}, 500), json({ data: {} }), hangsUp]) {
    await using played = await busy();
    played.instead.set("POST /session/{}/abort", answer);
    const taken = await climb([await lookAtPlayed(played)], async (ladder) => ladder.rungs[0]?.take(signal));
    expect(taken).toMatchObject({ kind: "refused", reason: "unreachable" });
  }
});

test("a server that does not answer after the abort has not said that it is over; one whose process is gone has", async () => {
  await using played = await busy();
  const itsProcess = await startChild(["sleep", "60"]);
  const look = await lookAtPlayed(played, { process: itsProcess.identity });
  await climb([look], async (ladder) => {
    await ladder.rungs[0]?.take(signal);
    await played[Symbol.asyncDispose]();
    expect(await ladder.settled(500, signal)).toMatchObject([{ kind: "turn", where: expect.stringContaining("does not answer") as string }]);
    itsProcess.process.kill("SIGKILL");
    await itsProcess.ended;
    expect(await ladder.settled(5_000, signal)).toEqual([]);
  });
});

test("force ends no more than the session, unless more is told: then the folder, the server, and its process, in this order", async () => {
  await using played = await busy();
  played.busy.set("ses_neighbour", "/app").set("ses_far", "/other");
  played.sessions.set("ses_neighbour", { directory: "/app" }).set("ses_far", { directory: "/other" });
  await climb([await lookAtPlayed(played)], async (ladder) => {
    expect(ladder.rungs.map(({ step, reach }) => `${step} ${reach}`)).toEqual([
      "ask session",
      "kill session",
      "kill directory",
      "kill server",
      "kill server",
      "kill server",
    ]);
    expect(await take(ladder, /^ends every turn in \/app/, 3_000)).toEqual([]);
    expect([...played.busy.keys()]).toEqual(["ses_far"]);
    expect(await take(ladder, /^ends every turn on/, 3_000)).toEqual([]);
    expect([...played.busy.keys()]).toEqual([]);
    const term = await ladder.rungs.find(({ does }) => does.startsWith("SIGTERM"))?.take(signal);
    expect(term).toMatchObject({ kind: "refused", reason: "notEndable" });
  });
  expect(played.undeclared()).toEqual([]);
});

/** A process that runs what a tool would: each command the leader of a session of its own, with the server's mark. */
async function aToolServer(commands: readonly (readonly string[])[], cwd: string) {
  const script = `const { spawn } = require("node:child_process");
    for (const [file, ...args] of ${JSON.stringify(commands)})
      console.log(spawn(file, args, { detached: true, stdio: "ignore", cwd: ${JSON.stringify(cwd)}, env: { ...process.env, OPENCODE_PID: String(process.pid) } }).pid);
    setInterval(() => {}, 60_000);`;
  const child = await startChild([process.execPath, "-e", script]);
  await until(() => child.said().split("\n").length > commands.length);
  return { identity: child.identity, pids: child.said().trim().split("\n").map(Number) };
}

function running(command: string): ReturnType<typeof json> {
  const parts = [{ type: "tool", tool: "bash", state: { status: "running", input: { command } } }];
  return json([{ info: { id: "msg_1", role: "assistant", time: { created: Date.now() } }, parts }]);
}

test("what its tools run is part of it: a turn that is over while a child of it lives is not, until that is killed by force", async () => {
  await using folder = await aFolder();
  await using played = await playOpencode(folder.path);
  played.sessions.set(id, { directory: folder.path });
  played.busy.set(id, folder.path);
  played.instead.set("GET /session/{}/message", running("sleep 300"));
  const server = await aToolServer([["sleep", "300"]], folder.path);
  const [child = 0] = server.pids;
  await climb([await lookAtPlayed(played, { process: server.identity }, [folder.path])], async (ladder) => {
    expect(await take(ladder, /abort/, 3_500)).toMatchObject([{ kind: "process", process: { pid: child }, name: "sleep", bond: "tree" }]);
    expect(await take(ladder, /SIGKILL to what its tools run/)).toEqual([]);
  });
  expect(findProcess(child)).toBeUndefined();
});

test("of two sessions at work on one server a tool's process belongs to the one whose command and folder it has, and is nobody's where that does not tell", async () => {
  await using folder = await aFolder();
  await using played = await playOpencode(folder.path);
  for (const each of [id, "ses_neighbour"]) {
    played.sessions.set(each, { directory: folder.path });
    played.busy.set(each, folder.path);
  }
  played.instead.set("GET /session/{}/message", (request, response) => running(request.url.includes(id) ? "sleep 301" : "sleep 302")(request, response));
  const server = await aToolServer(
    [
      ["sleep", "301"],
      ["sleep", "302"],
      ["sleep", "303"],
    ],
    folder.path,
  );
  const [own = 0, neighbours = 0, nobodys = 0] = server.pids;
  await climb([await lookAtPlayed(played, { process: server.identity }, [folder.path])], async (ladder) => {
    expect(await take(ladder, /abort/, 3_500)).toMatchObject([{ process: { pid: own } }]);
    expect(await take(ladder, /SIGKILL to what its tools run/)).toEqual([]);
  });
  expect([own, neighbours, nobodys].map((pid) => findProcess(pid) !== undefined)).toEqual([false, true, true]);
  expect([...played.busy.keys()]).toEqual(["ses_neighbour"]);
});

test("what has left its tool's reach is named, and left alone", async () => {
  await using folder = await aFolder();
  await using played = await playOpencode(folder.path);
  played.sessions.set(id, { directory: folder.path });
  played.busy.set(id, folder.path);
  const command = "setsid sleep 304 & sleep 305";
  played.instead.set("GET /session/{}/message", running(command));
  const server = await aToolServer([["sh", "-c", command]], folder.path);
  await until(async () => [...((await machine.processes(signal)).processes?.values() ?? [])].some(({ argv }) => argv.join(" ") === "sleep 304"));
  const [shell = 0] = server.pids;
  await climb([await lookAtPlayed(played, { process: server.identity }, [folder.path])], async (ladder) => {
    expect((await ladder.remains(signal)).length).toBeGreaterThan(1);
    expect(await take(ladder, /SIGKILL to what its tools run/, 500)).toContainEqual(
      expect.objectContaining({ kind: "process", name: "sleep", bond: "environment" }),
    );
  });
  expect(findProcess(shell)).toBeUndefined();
  const left = [...((await machine.processes(signal)).processes?.values() ?? [])].find(({ argv }) => argv.join(" ") === "sleep 304");
  expect(left).toBeDefined();
});
