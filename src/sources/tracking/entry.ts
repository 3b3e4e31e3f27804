/** What the tracking files tell of one session; the same id may stand in both, and more than once in one. */
export interface Entry {
  readonly id: string;
  /** What a script calls it. */
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly startedAt: number | undefined;
}

/** Of one file's text; undefined rows are those that name no session. */
export type ParsedFile =
  | { readonly kind: "parsed"; readonly entries: readonly Entry[]; readonly unreadable: number }
  | { readonly kind: "corrupt"; readonly reason: string };

/** As the programs that write these files have it: nothing in it means anything to a path, a pattern or an address. */
export const trackedId = /^[a-zA-Z0-9][a-zA-Z0-9_-]*$/;
