import type { Status } from "../core/status.ts";

/** A codicon, and a colour of the theme. The shape alone tells the status. */
export interface Icon {
  readonly name: string;
  readonly color?: string;
}

export function iconOf(status: Status): Icon {
  switch (status) {
    case "needsInput":
      return { name: "bell", color: "list.warningForeground" };
    case "stuck":
      return { name: "warning", color: "list.warningForeground" };
    case "working":
      return { name: "circle-filled", color: "charts.green" };
    case "idle":
      return { name: "circle-outline", color: "charts.green" };
    case "open":
      return { name: "circle-outline" };
    case "unknown":
      return { name: "question" };
    case "exited":
      return { name: "debug-disconnect" };
    case "stopped":
      return { name: "circle-slash", color: "disabledForeground" };
    case "purged":
      return { name: "trash", color: "disabledForeground" };
    case "archived":
      return { name: "archive", color: "disabledForeground" };
  }
}
