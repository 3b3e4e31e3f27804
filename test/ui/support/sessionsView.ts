import type { Locator, Page } from "playwright-core";

/** A tree as one sees it: names, and below an open one what is in it. */
export type Picture = readonly (string | readonly [string, Picture])[];

/** The view of sessions in the side bar, read and used as a person without eyes or with a mouse would. */
export interface SessionsView {
  readonly tree: Locator;
  row(name: string): Locator;
  picture(): Promise<Picture>;
}

export async function openSessionsView(page: Page): Promise<SessionsView> {
  const icon = page.getByRole("tab", { name: "Agent Sessions" });
  await icon.waitFor({ timeout: 60_000 });
  if ((await icon.getAttribute("aria-expanded")) !== "true") await icon.click();
  const tree = page.getByRole("tree", { name: /^Sessions/ });
  return { tree, row: (name) => tree.getByRole("treeitem", { name: startingWith(name) }), picture: async () => pictureOf(await rowsOf(tree)) };
}

interface Row {
  readonly name: string;
  readonly level: number;
}

/** An accessible name begins with what the row is called; after a comma it says more. */
function startingWith(name: string): RegExp {
  return new RegExp(`^${name.replaceAll(/[^\w ]/g, "\\$&")}(,|$)`);
}

async function rowsOf(tree: Locator): Promise<readonly Row[]> {
  const rows = await tree.getByRole("treeitem").evaluateAll((elements) =>
    elements.map((element) => ({
      name: element.getAttribute("aria-label") ?? "",
      level: Number(element.getAttribute("aria-level")),
      at: Number(element.getAttribute("data-index") ?? 0),
    })),
  );
  return rows.toSorted((a, b) => a.at - b.at).map(({ name, level }) => ({ name: name.split(",")[0] ?? "", level }));
}

function pictureOf(rows: readonly Row[], level = 1): Picture {
  const tops = rows.flatMap((row, at) => (row.level === level ? [at] : []));
  return tops.map((at, n) => {
    const below = rows.slice(at + 1, tops[n + 1] ?? rows.length);
    const name = rows[at]?.name ?? "";
    return below.length === 0 ? name : [name, pictureOf(below, level + 1)];
  });
}
