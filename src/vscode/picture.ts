import { agentNames, statusWords } from "../core/sentences.ts";
import { groupSessions, isAutomation } from "../core/groups.ts";
import type { Remedy } from "../core/notice.ts";
import type { Snapshot } from "../core/roster.ts";
import type { Session } from "../core/session.ts";

/** What the tree shows, as plain values: the rows on top, and what each of them holds. */
export interface Picture {
  readonly roots: readonly Node[];
  readonly by: GroupedBy;
  /** How many of all the sessions a filter lets through. */
  readonly shown: number;
  readonly all: number;
}

export type Node = GroupNode | AutomationNode | SessionNode | NoticeNode;
export interface GroupNode {
  readonly kind: "group";
  readonly by: GroupedBy;
  readonly name: string;
  readonly children: readonly SessionNode[];
}
/** Runs that no person sits at, folded into one count. */
export interface AutomationNode {
  readonly kind: "automation";
  readonly children: readonly SessionNode[];
}
export interface SessionNode {
  readonly kind: "session";
  readonly session: Session;
  /** Of those with this key. VS Code draws nothing at all where two rows have one id. */
  readonly nth: number;
}
/** A place that gives no answer, or has something wrong. */
export interface NoticeNode {
  readonly kind: "notice";
  readonly place: string;
  readonly sentence: string;
  readonly remedy: Remedy | undefined;
}

export type GroupedBy = "status" | "folder";

export interface Wish {
  readonly by: GroupedBy;
  readonly filter: string;
}

/** Groups in their one order, then automation, then what could not be read: a sick source is a row, and takes nothing away. */
export function pictureOf({ sessions, unreachable, notices }: Snapshot, { by, filter }: Wish): Picture {
  const chosen = sessions.filter((session) => matches(session, filter));
  const automation = chosen.filter(isAutomation);
  const nodeOf = numberedNodes();
  const groups = groupSessions(
    chosen.filter((session) => !isAutomation(session)),
    by,
  );
  return {
    by,
    shown: chosen.length,
    all: sessions.length,
    roots: [
      ...groups.map(({ name, sessions }) => ({ kind: "group", by, name, children: sessions.map(nodeOf) }) as const),
      ...(automation.length > 0 ? [{ kind: "automation", children: automation.map(nodeOf) } as const] : []),
      ...unreachable.map(({ place, reason, remedy }) => ({ kind: "notice", place, sentence: reason, remedy }) as const),
      ...notices.map(({ place, sentence, remedy }) => ({ kind: "notice", place, sentence, remedy }) as const),
    ],
  };
}

export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "group":
    case "automation":
      return node.children;
    case "session":
    case "notice":
      return [];
  }
}

export function findParent(child: Node, { roots }: Picture): Node | undefined {
  return child.kind === "session" ? roots.find((root) => childrenOf(root).some((other) => isSameRow(other, child))) : undefined;
}

export function findSession(key: string, { roots }: Picture): SessionNode | undefined {
  return roots.flatMap(childrenOf).find((node) => node.kind === "session" && node.session.key === key) as SessionNode | undefined;
}

function isSameRow(a: Node, b: Node): boolean {
  return a.kind === "session" && b.kind === "session" && a.session.key === b.session.key;
}

/** Every word has to be found somewhere in what a person knows a session by. */
function matches(session: Session, filter: string): boolean {
  const { title, agent, cwd, conversation, status, run } = session;
  const pane = run?.host.kind === "process" ? run.host.pane?.sessionName : undefined;
  const text = [title, agent, agent && agentNames[agent], cwd, conversation?.id, statusWords[status.value], pane].join(" ").toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function numberedNodes(): (session: Session) => SessionNode {
  const counts = new Map<string, number>();
  return (session) => {
    const nth = (counts.get(session.key) ?? 0) + 1;
    counts.set(session.key, nth);
    return { kind: "session", session, nth };
  };
}
