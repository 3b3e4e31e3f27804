import type { Activity } from "../../core/facet.ts";

/** With `tui.animations=false` there is no frame, so its absence proves nothing. */
export function activityOfTitle(title: string): Activity | undefined {
  if (/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /.test(title)) return "working";
  return /^\[ [!.] \] Action Required(?: \||$)/.test(title) ? "needsInput" : undefined;
}

/** `<name> | <folder>`; only the folder before the first prompt. */
export function nameInTitle(title: string): string | undefined {
  const plain = title.replace(marks, "");
  const end = plain.lastIndexOf(" | ");
  return end > 0 ? plain.slice(0, end) : undefined;
}

/** Where the title is set to show the id. At its start only, where no prompt's text can stand; cut to 29 characters, which is still one id. */
export function idInTitle(title: string): string | undefined {
  return /^([0-9a-f-]{29,36})(?:\.\.\.)?(?: \||$)/.exec(title.replace(marks, ""))?.[1];
}

const marks = /^(?:[\u2800-\u28ff] |\[ [!.] \] Action Required \| )/;
