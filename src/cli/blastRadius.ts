import type { Reach } from "../core/ladder.ts";
import { nameOf } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";

/** Whom else a step of that reach can hit, in one sentence; undefined where it reaches nobody else's. */
export function blastRadius({ key, run }: Session, reach: Reach, sessions: readonly Session[]): string | undefined {
  if (reach === "session" || run?.host.kind !== "server") return undefined;
  const { url, directory } = run.host;
  const others = sessions.filter((other) => {
    const host = other.run?.host;
    return other.key !== key && host?.kind === "server" && host.url === url && (reach === "server" || host.directory === directory);
  });
  const where = reach === "server" ? `on ${url}, and that server itself,` : `in ${directory} on ${url}`;
  const atWork = others.filter(({ status }) => status.value === "working" || status.value === "needsInput").map(nameOf);
  const known = atWork.length > 0 ? `: ${atWork.join(", ")} too` : ", also one that is not known here";
  return `If it does not end when asked, every turn ${where} may be ended${known}.`;
}
