import { stripVTControlCharacters } from "node:util";

/** Words of others (titles, paths, evidence) as one harmless line: no escapes, nothing that turns text around, nothing that the editor would read as a link or an icon. */
export function plain(text: string, maxLength = 200): string {
  return shorten(
    defused(stripVTControlCharacters(text).replace(/\p{Cc}|\p{Zl}|\p{Zp}/gu, " "))
      .replace(/ {2,}/g, " ")
      .trim(),
    maxLength,
  );
}

/** A screen, or a detail of several lines: as `plain`, but its lines stay. */
export function plainLines(text: string): string {
  return stripVTControlCharacters(text)
    .split(/\r?\n/)
    .map((line) => withoutTurns(line.replace(/\p{Cc}|\p{Zl}|\p{Zp}/gu, " ")).trimEnd())
    .join("\n");
}

/** `[words](command:…)` is a link in a notification, `$(name)` an icon in a label: a space of no width keeps both as they were typed. */
function defused(text: string): string {
  return withoutTurns(text).replaceAll("](", "]\u200B(").replaceAll("$(", "$\u200B(");
}

function withoutTurns(text: string): string {
  return text.replace(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "");
}

function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : `${text
        .slice(0, maxLength - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
