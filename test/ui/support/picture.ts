/** A tree as one sees it: names, and below an open one what is in it. */
export type Picture = readonly (string | readonly [string, Picture])[];

export interface TreeRow {
  readonly spoken: string;
  readonly level: number;
}

/** From rows as they stand below each other. */
export function pictureOf(rows: readonly TreeRow[], level = 1): Picture {
  const tops = rows.flatMap((row, at) => (row.level === level ? [at] : []));
  return tops.map((at, n) => {
    const below = rows.slice(at + 1, tops[n + 1] ?? rows.length);
    const name = nameOf(rows[at]?.spoken ?? "");
    return below.length === 0 ? name : [name, pictureOf(below, level + 1)];
  });
}

/** Of another's sessions on this machine a test knows nothing: only what it names stays, and groups that hold some of it. */
export function onlyOf(names: readonly string[], picture: Picture): Picture {
  return picture.flatMap((entry): Picture => {
    if (typeof entry === "string") return names.includes(entry) ? [entry] : [];
    const within = onlyOf(names, entry[1]);
    return within.length > 0 ? [[entry[0], within] as const] : [];
  });
}

/** A row's accessible name begins with what it is called. */
export function nameOf(spoken: string): string {
  return spoken.split(",")[0] ?? "";
}
