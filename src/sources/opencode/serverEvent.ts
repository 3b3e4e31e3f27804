import * as z from "zod";

/** That something changed. What it is now has to be asked: events tell of it twice, early, and not always truly. */
export interface ServerEvent {
  readonly type: string;
  readonly directory: string | undefined;
  readonly sessionId: string | undefined;
}

const text = z.string().min(1).optional().catch(undefined);
const Told = z.object({ sessionID: text, directory: text }).optional().catch(undefined);
/** Of `/global/event`. */
const Wrapped = z.object({ directory: text, payload: z.object({ type: z.string(), properties: Told }) });
/** Of `/api/event`. */
const Plain = z.object({
  type: z.string(),
  location: z.object({ directory: text }).optional().catch(undefined),
  data: Told,
});

/** Of the connection itself; `sync` repeats the event before it. */
const silentTypes: ReadonlySet<string> = new Set(["server.connected", "server.heartbeat", "sync"]);

/** Undefined for what is no event, or tells nothing of the sessions. */
export function serverEvent(frame: string): ServerEvent | undefined {
  const json = parsed(frame);
  const event = ofWrapped(json) ?? ofPlain(json);
  return event && !silentTypes.has(event.type) ? event : undefined;
}

function ofWrapped(json: unknown): ServerEvent | undefined {
  const event = Wrapped.safeParse(json).data;
  if (!event) return undefined;
  const { type, properties } = event.payload;
  return { type, directory: event.directory ?? properties?.directory, sessionId: properties?.sessionID };
}

function ofPlain(json: unknown): ServerEvent | undefined {
  const event = Plain.safeParse(json).data;
  return event && { type: event.type, directory: event.location?.directory ?? event.data?.directory, sessionId: event.data?.sessionID };
}

function parsed(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    return undefined;
  }
}
