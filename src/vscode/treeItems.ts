import type { GroupName } from "../core/groups.ts";
import type { Operation } from "../core/lifecycle.ts";
import { agentNames, statusWords } from "../core/sentences.ts";
import type { Session } from "../core/session.ts";
import { spokenAge } from "../core/ageWords.ts";
import { ageMsOf } from "./ages.ts";
import type { GroupNode, Node, NoticeNode, SessionNode } from "./picture.ts";
import { plain } from "./plainText.ts";
import { describe, folderName, serverOf, whereOf } from "./rowWords.ts";
import { iconOf } from "./statusIcons.ts";
import type { Icon } from "./statusIcons.ts";

/** One row of the tree, as plain values: everything that a person sees, hears, or can do with it. */
export interface Row {
  /** The same for the same thing in every picture. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly icon: Icon | undefined;
  /** What `viewItem` in the manifest's menus is matched with: whole words, from `contextWords`. */
  readonly contextValue: string;
  /** Plain text. Titles are words of others: no Markdown, no links. */
  readonly tooltip: string;
  readonly spoken: string;
  readonly fold: "none" | "open" | "closed";
}

const wordOfOperation: Readonly<{ [operation in Operation]: string }> = {
  stop: "canStop",
  terminate: "canTerminate",
  captureId: "canCaptureId",
  answer: "canAnswer",
  cleanUp: "canCleanUp",
  purge: "canPurge",
  endOrphan: "canEndOrphan",
  finalize: "canFinalize",
  goTo: "canGoTo",
  peek: "canPeek",
  resume: "canResume",
  start: "canStart",
  track: "canTrack",
  rename: "canRename",
  archive: "canArchive",
  unarchive: "canUnarchive",
  forget: "canForget",
  restore: "canRestore",
};

/** All the words that a `contextValue` is made of. */
export const contextWords: readonly string[] = [
  "session",
  "hasId",
  "group",
  "exited",
  "earlier",
  "automation",
  "notice",
  "enterPassword",
  "openFile",
  "openSettings",
  ...Object.values(wordOfOperation),
];

export function rowOf(node: Node, offered: (session: Session) => ReadonlySet<Operation>, now: number): Row {
  switch (node.kind) {
    case "group":
      return groupRow(node);
    case "earlier":
      return {
        id: "earlier",
        label: "Earlier",
        description: String(node.children.length),
        icon: { name: "history" },
        contextValue: "earlier",
        tooltip: "Stopped more than a day ago.",
        spoken: `Earlier, ${sessionCount(node.children.length)}`,
        fold: "closed",
      };
    case "automation":
      return {
        id: "automation",
        label: "Automation",
        description: String(node.children.length),
        icon: { name: "server-process" },
        contextValue: "automation",
        tooltip: "Runs that no person sits at: started by scripts and programs. They never ask for your attention.",
        spoken: `Automation, ${sessionCount(node.children.length)}`,
        fold: "closed",
      };
    case "session":
      return sessionRow(node, offered(node.session), now);
    case "notice":
      return noticeRow(node);
  }
}

function sessionRow({ session, nth, below }: SessionNode, offered: ReadonlySet<Operation>, now: number): Row {
  const { key, status, conversation, cwd } = session;
  const age = ageMsOf(session, now);
  const label = plain(session.title);
  const agent = session.agent ? agentNames[session.agent] : "Agent not known";
  const why = plain(status.seen);
  return {
    id: nth === 1 ? `session ${key}` : `session ${key} ${nth}`,
    label,
    description: describe(session, now),
    icon: iconOf(status.value),
    contextValue: ["session", ...(conversation ? ["hasId"] : []), ...[...offered].map((operation) => wordOfOperation[operation])].join(" "),
    tooltip: [
      label,
      `${agent}: ${statusWords[status.value]} (${why})`,
      cwd && plain(cwd),
      whereOf(session),
      serverOf(session),
      conversation && `Conversation ${plain(conversation.id)}`,
      ...session.records.map(({ pending }) => pending && `Pending: ${plain(pending)}`),
    ]
      .filter(Boolean)
      .join("\n"),
    spoken: [label, agent, statusWords[status.value], age !== undefined && spokenAge(age), why].filter(Boolean).join(", "),
    fold: below.length === 0 ? "none" : below.some(isBusy) ? "open" : "closed",
  };
}

function isBusy({ session: { status } }: SessionNode): boolean {
  return status.value === "working" || status.value === "needsInput";
}

/** A group that one works from is open; the past is folded. */
function groupRow(group: GroupNode): Row {
  const { name, by } = group;
  const count = group.children.length + (group.earlier?.children.length ?? 0);
  const isFolder = by === "folder";
  const label = isFolder ? folderName(name) : name;
  const isExited = !isFolder && name === ("Exited" satisfies GroupName);
  const isPast = !isFolder && (name === ("Stopped" satisfies GroupName) || name === ("Archived" satisfies GroupName));
  return {
    id: `${by} ${name}`,
    label: plain(label),
    description: isFolder ? `${count}   ${plain(name.slice(0, name.lastIndexOf("/")))}`.trimEnd() : String(count),
    icon: isFolder ? { name: "folder" } : undefined,
    contextValue: isExited ? "group exited" : "group",
    tooltip: plain(name),
    spoken: `${plain(label)}, ${sessionCount(count)}`,
    fold: isPast ? "closed" : "open",
  };
}

function noticeRow({ place, sentence, remedy }: NoticeNode): Row {
  const isMended = remedy === "openFile" || remedy === "openSettings" || remedy === "enterPassword";
  return {
    id: `notice ${place} ${sentence}`,
    label: plain(place),
    description: plain(sentence),
    icon: { name: "warning", color: "list.warningForeground" },
    contextValue: isMended ? `notice ${remedy}` : "notice",
    tooltip: `${plain(place)}\n${plain(sentence, 1_000)}`,
    spoken: `Warning: ${plain(place)}, ${plain(sentence)}`,
    fold: "none",
  };
}

function sessionCount(count: number): string {
  return count === 1 ? "1 session" : `${count} sessions`;
}
