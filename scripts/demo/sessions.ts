import type { StandInAgent, StandInMode } from "../../test/support/standIns/standIns.ts";

export interface DemoSession {
  readonly agent: StandInAgent;
  readonly mode: StandInMode;
  readonly subject: string;
  /** Where nothing on this machine tells what it is about. */
  readonly shownAs?: string;
  /** A folder of the demo's workspace. */
  readonly project: string;
  /** A tmux session's name, or a pseudo-terminal without one. */
  readonly in: { readonly tmux: string } | "pseudoTerminal";
  /** Killed once it has been seen, as by a crash. */
  readonly dies?: true;
}

/** One for each thing that a session can be at. */
export const demoSessions: readonly DemoSession[] = [
  { agent: "claude", mode: "waiting", subject: "rate limit for the login form", project: "app", in: { tmux: "login" } },
  { agent: "codex", mode: "working", subject: "migrate the schema", project: "api", in: { tmux: "schema" } },
  { agent: "cline", mode: "working", subject: "docs for the parser", project: "parser", in: { tmux: "docs" } },
  { agent: "claude", mode: "open", subject: "tidy the release notes", project: "app", in: { tmux: "notes" } },
  { agent: "claude", mode: "deaf", subject: "watch the nightly build", project: "api", in: { tmux: "nightly" } },
  { agent: "claude", mode: "open", subject: "sketch the landing page", project: "site", in: "pseudoTerminal" },
  { agent: "gemini", mode: "open", subject: "choose the typefaces", shownAs: "gemini in site", project: "site", in: { tmux: "typefaces" } },
  { agent: "claude", mode: "open", subject: "hunt the flaky test", project: "parser", in: { tmux: "flaky" }, dies: true },
];
