import { ancestorsOf } from "./census.ts";
import type { Census, ProcessEntry } from "./census.ts";
import { nameIn } from "./processWords.ts";
import { startOrder } from "./startOrder.ts";

/** `nobody`: whoever started it is gone, and the system has taken it. `first`: a container's own program has started it, or has taken it. `unknown`: its parent can't be seen from here. */
export type Parent = { readonly kind: "lives" | "first"; readonly entry: ProcessEntry } | { readonly kind: "nobody" | "unknown" };

export function parentOf(entry: ProcessEntry, { processes }: Pick<Census, "processes">): Parent {
  const parent = processes?.get(entry.parentPid);
  if (entry.parentPid === 1) return parent && isProgram(parent) && parent.sessionId === entry.sessionId ? { kind: "first", entry: parent } : { kind: "nobody" };
  if (!parent) return { kind: "unknown" };
  // One that began later can only have adopted it.
  return adopts(parent) || (startOrder(parent, entry) ?? 0) > 0 ? { kind: "nobody" } : { kind: "lives", entry: parent };
}

/** prctl(2), PR_SET_CHILD_SUBREAPER: Linux does not tell who is one, so by name. What it has started itself is known by its unit. */
function adopts({ program, argv, identity }: ProcessEntry): boolean {
  const name = nameIn(program?.file ?? argv[0]);
  return name === "systemd" ? identity.pid === 1 || argv.includes("--user") : reapers.has(name);
}
const reapers = new Set(["init", "tini", "docker-init", "dumb-init", "catatonit", "launchd"]);

/** The first process of a container may be anything; these start nothing of their own. */
function isProgram(first: ProcessEntry): boolean {
  return first.argv.length > 0 && !adopts(first) && !waiters.has(nameIn(first.program?.file ?? first.argv[0]));
}
const waiters = new Set(["sleep", "tail", "cat"]);

/** The editor among those above it, itself included. */
export function findEditor(pid: number, census: Pick<Census, "processes">): ProcessEntry | undefined {
  return ancestorsOf(pid, census).find(isEditor);
}

export function isEditor({ program, argv }: ProcessEntry): boolean {
  const words = [program?.file ?? "", argv[0] ?? ""];
  const isPart = (word: string): boolean =>
    editors.has(
      nameIn(word)
        .toLowerCase()
        .replace(/^emacs-\w+$/, "emacs"),
    ) ||
    editorPath.test(word) ||
    editorFolder.test(word);
  return words.some(isPart) || ["--type=extensionHost", "com.intellij.idea.Main"].some((word) => argv.includes(word));
}
const editors = new Set(
  "code code-insiders code-oss code-tunnel codium vscodium cursor windsurf positron trae kiro zed zed-editor antigravity code-server openvscode-server emacs nvim".split(
    " ",
  ),
);
/** A server of VS Code or a fork of it: its processes are Node's. */
const editorPath =
  /\/\.?(vscode|vscodium|cursor|windsurf|code|openvscode|kiro|trae|positron|antigravity)[\w-]*-server(-\w+)?\/|\/out\/(server-main|bootstrap-fork)\.js$/;
/** What is installed with an editor is a part of it: crash handlers, language servers, terminals. */
const editorFolder =
  /\/(usr\/(local\/)?(share|lib|lib64)|opt|snap|Applications)\/(code|code-insiders|code-oss|codium|vscodium|cursor|windsurf|positron|trae|kiro|zed|antigravity|Visual Studio Code[^/]*)(\.app)?\/|\/resources\/app\/(out|extensions)\//i;
