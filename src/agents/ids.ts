/** The usual form of a conversation's id. Anchored: what comes from a file or an argument is checked before it becomes part of a path. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The last id on a screen, where `before` is the text that stands before it. */
export function lastIdOn(screen: string, before: RegExp, idPattern: RegExp): string | undefined {
  return screen
    .split(before)
    .slice(1)
    .map((after) => /^\S+/.exec(after)?.[0] ?? "")
    .findLast((id) => idPattern.test(id));
}
