import { stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { readIfPresent } from "../../system/files.ts";
import { parseJson } from "../jsonText.ts";

/** The argument that the hub is started with. */
export const hubMark = "--cline-hub-daemon";

/** A killed hub leaves its file, and its pid to whoever comes next: only its argument tells. Without /proc the file is believed. */
export async function isHubThere(home: string): Promise<boolean> {
  const hub = await readHub(home);
  if (!hub) return false;
  const isLinux = (await stat("/proc/self").catch(() => undefined)) !== undefined;
  const argv = (await readIfPresent(`/proc/${hub.pid}/cmdline`, 64 * 1024))?.split("\0") ?? [];
  return !isLinux || argv.includes(hubMark);
}

/**
 * Ends what the hub runs for exactly this session, as its window does; resolves with whether the hub has taken it.
 * It is an internal interface: any other answer is a no.
 */
export async function abortRun(home: string, sessionId: string, signal: AbortSignal): Promise<boolean> {
  const hub = await readHub(home);
  if (hub?.port === undefined || hub.authToken === undefined) return false;
  const requestId = crypto.randomUUID();
  const envelope = { version: "v1", command: "run.abort", requestId, clientId: "session-warden", sessionId, payload: { sessionId, reason: "stopped" } };
  const socket = new WebSocket(`ws://${loopback}:${hub.port}/hub`, [`cline-hub-auth.${hub.authToken}`]);
  const answered = Promise.withResolvers<boolean>();
  const giveUp = () => answered.resolve(false);
  const bound = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
  bound.addEventListener("abort", giveUp);
  socket.addEventListener("open", () => socket.send(JSON.stringify({ kind: "command", envelope })));
  socket.addEventListener("error", giveUp);
  socket.addEventListener("close", giveUp);
  socket.addEventListener("message", ({ data }) => {
    const { data: told } = reply.safeParse(parseJson(String(data)));
    if (told?.envelope.requestId === requestId) answered.resolve(told.envelope.ok);
  });
  try {
    const isTaken = await answered.promise;
    signal.throwIfAborted();
    return isTaken;
  } finally {
    bound.removeEventListener("abort", giveUp);
    socket.close();
  }
}
const answerWithinMs = 1_500;

const reply = z.object({ kind: z.literal("reply"), envelope: z.object({ requestId: z.string(), ok: z.boolean() }) });

/** Its token goes to this machine only, wherever the file says that the hub is. */
const loopback = "127.0.0.1";
const hubFile = z.object({ pid: z.int(), port: z.int().optional().catch(undefined), authToken: z.string().optional().catch(undefined) });

async function readHub(home: string): Promise<z.infer<typeof hubFile> | undefined> {
  return hubFile.safeParse(parseJson(await readIfPresent(join(home, "locks", "hub", "production.json"), 64 * 1024))).data;
}
