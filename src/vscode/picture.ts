import { agentNames, statusWords } from "../core/sentences.ts";
import { familiesOf, groupSessions, isAutomation, isEarlier } from "../core/groups.ts";
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

export type Node = GroupNode | EarlierNode | AutomationNode | SessionNode | NoticeNode;
export interface GroupNode {
  readonly kind: "group";
  readonly by: GroupedBy;
  readonly name: string;
  readonly children: readonly SessionNode[];
  readonly earlier: EarlierNode | undefined;
}
/** The part of the past that is folded, so that what ended today is found. */
export interface EarlierNode {
  readonly kind: "earlier";
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
  /** All that was started for its work, however deep. */
  readonly below: readonly SessionNode[];
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
export function pictureOf({ at, sessions, unreachable, notices }: Snapshot, { by, filter }: Wish): Picture {
  const chosen = chosenFamilies(sessions, filter);
  const people = [...chosen.keys()].filter((session) => !isAutomation(session));
  const automation = [...chosen.keys()].filter(isAutomation);
  const nodeOf = numberedNodes(chosen);
  return {
    by,
    shown: [...chosen.values()].reduce((count, below) => count + 1 + below.length, 0),
    all: sessions.length,
    roots: [
      ...groupSessions(people, by).map(({ name, sessions }) => groupNode(name, by, sessions, at, nodeOf)),
      ...(automation.length > 0 ? [{ kind: "automation", children: automation.map(nodeOf) } as const] : []),
      ...unreachable.map(({ place, reason, remedy }) => ({ kind: "notice", place, sentence: reason, remedy }) as const),
      ...notices.map(({ place, sentence, remedy }) => ({ kind: "notice", place, sentence, remedy }) as const),
    ],
  };
}

export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "group":
      return node.earlier ? [...node.children, node.earlier] : node.children;
    case "earlier":
    case "automation":
      return node.children;
    case "session":
      return node.below;
    case "notice":
      return [];
  }
}

export function findParent(child: Node, { roots }: Picture): Node | undefined {
  return withAllBelow(roots).find((node) => childrenOf(node).some((other) => isSameRow(other, child)));
}

export function findSession(key: string, { roots }: Picture): SessionNode | undefined {
  return withAllBelow(roots).find((node) => node.kind === "session" && node.session.key === key) as SessionNode | undefined;
}

function withAllBelow(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node) => [node, ...withAllBelow(childrenOf(node))]);
}

function isSameRow(a: Node, b: Node): boolean {
  return a.kind === "session" && b.kind === "session" ? a.session.key === b.session.key : a.kind === "earlier" && b.kind === "earlier";
}

function groupNode(name: string, by: GroupedBy, sessions: readonly Session[], now: number, nodeOf: (session: Session) => SessionNode): GroupNode {
  const isFolded = (session: Session): boolean => by === "status" && isEarlier(session, now);
  const earlier = sessions.filter(isFolded).map(nodeOf);
  return {
    kind: "group",
    by,
    name,
    children: sessions.filter((session) => !isFolded(session)).map(nodeOf),
    earlier: earlier.length > 0 ? { kind: "earlier", children: earlier } : undefined,
  };
}

/** A root that is meant brings all below it; one below that is meant brings its root, so that it has a place. */
function chosenFamilies(sessions: readonly Session[], filter: string): ReadonlyMap<Session, readonly Session[]> {
  const families = [...familiesOf(sessions)].flatMap(([root, below]) => {
    if (matches(root, filter)) return [[root, below] as const];
    const meant = below.filter((session) => matches(session, filter));
    return meant.length > 0 ? [[root, meant] as const] : [];
  });
  return new Map(families);
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

function numberedNodes(families: ReadonlyMap<Session, readonly Session[]>): (session: Session) => SessionNode {
  const counts = new Map<string, number>();
  const nodeOf = (session: Session): SessionNode => {
    const nth = (counts.get(session.key) ?? 0) + 1;
    counts.set(session.key, nth);
    return { kind: "session", session, nth, below: (families.get(session) ?? []).map(nodeOf) };
  };
  return nodeOf;
}
