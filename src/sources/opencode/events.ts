import { setTimeout as sleep } from "node:timers/promises";
import { spent } from "../../system/spent.ts";
import type { Login } from "./contract.ts";
import { isDeclaredNow } from "./declared.ts";
import { eventFrames } from "./eventFrames.ts";
import { credential } from "./request.ts";
import type { ServerEvent } from "./serverEvent.ts";
import { serverEvent } from "./serverEvent.ts";

export type { ServerEvent } from "./serverEvent.ts";

export interface Followed {
  readonly origin: string;
  readonly version: "v1" | "v2";
  readonly login: Login | undefined;
}

export interface Listener {
  /** After each (re)connection: what happened before is not told again, so the reader looks anew. */
  readonly onOpen: () => void;
  readonly onEvent: (event: ServerEvent) => void;
  /** Once for each onOpen, unless disposed before. */
  readonly onClosed: () => void;
}

export interface Paces {
  /** A server that is well sends a heartbeat every 10 s. */
  readonly silenceMs: number;
  readonly firstBackOffMs: number;
  readonly longestBackOffMs: number;
}

const usualPaces: Paces = { silenceMs: 25_000, firstBackOffMs: 1_000, longestBackOffMs: 30_000 };
const longestFrame = 32 * 1024 * 1024;

/** Follows a server's events until disposed, over lost connections and restarts. Tells nothing once it is disposed. */
export function followEvents(of: Followed, tell: Listener, paces: Paces = usualPaces): Disposable {
  const over = new AbortController();
  void follow(of, tell, paces, over.signal);
  return { [Symbol.dispose]: () => over.abort() };
}

async function follow(of: Followed, tell: Listener, paces: Paces, over: AbortSignal): Promise<void> {
  let lost = 0;
  while (!over.aborted) {
    const startedAt = performance.now();
    await followOnce(of, tell, paces.silenceMs, over);
    // One that opens and ends at once is as sick as one that never opens.
    lost = performance.now() - startedAt >= paces.silenceMs ? 1 : lost + 1;
    await pause(backOff(lost, paces), over);
  }
}

async function followOnce(of: Followed, tell: Listener, silenceMs: number, over: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const watchdog = setTimeout(end, silenceMs);
  over.addEventListener("abort", end, { once: true });
  let isOpen = false;
  try {
    const stream = await connect(of, silenceMs, ending.signal);
    if (!stream) return;
    const frames = eventFrames();
    const text = new TextDecoder();
    for (let chunk = await nextChunk(stream); chunk; chunk = await nextChunk(stream)) {
      if (over.aborted) return;
      watchdog.refresh();
      // The first byte, not the headers: by then the server has begun to listen to itself.
      if (!isOpen) spent.sockets++;
      if (!isOpen) tell.onOpen();
      isOpen = true;
      for (const frame of frames.take(text.decode(chunk, { stream: true }))) {
        const event = serverEvent(frame);
        if (event && !over.aborted) tell.onEvent(event);
      }
      if (frames.held() > longestFrame) return;
    }
  } finally {
    clearTimeout(watchdog);
    over.removeEventListener("abort", end);
    end();
    if (isOpen) spent.sockets--;
    if (isOpen && !over.aborted) tell.onClosed();
  }
}

async function connect(
  { origin, version, login }: Followed,
  withinMs: number,
  signal: AbortSignal,
): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
  try {
    const path = version === "v1" ? "/global/event" : "/api/event";
    if (version === "v1" && !(await isDeclaredNow({ origin, login }, "GET", path, withinMs, signal))) return undefined;
    const response = await fetch(`${origin}${path}`, {
      headers: { accept: "text/event-stream", connection: "close", ...credential(login) },
      redirect: "manual",
      signal,
    });
    const isStream = response.status === 200 && response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream");
    return isStream ? response.body?.getReader() : undefined;
  } catch {
    // Refused, lost, silent for too long or disposed: each is tried again, or is over.
    return undefined;
  }
}

async function nextChunk(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await stream.read()).value;
  } catch {
    return undefined;
  }
}

/** Longer with each loss in a row, and never the same for two windows. */
function backOff(lost: number, { firstBackOffMs, longestBackOffMs }: Paces): number {
  const most = Math.min(longestBackOffMs, firstBackOffMs * 2 ** lost);
  return most / 2 + (Math.random() * most) / 2;
}

async function pause(ms: number, over: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: over }).catch(() => undefined);
}
