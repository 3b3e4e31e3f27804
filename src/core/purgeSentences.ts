import { isProved } from "./receipt.ts";
import type { Receipt, StoreLine } from "./receipt.ts";
import type { LeftAlone } from "./store.ts";

/** "9 places are proved to be without it" */
export function purgedWords({ purged = [], leftAlone = [] }: Receipt): string {
  const found = purged.filter(({ outcome }) => outcome.kind === "erased").length;
  const stays = leftAlone.length > 1 ? `; what only names it stays: ${leftAlone.map(({ name }) => name).join(", ")}` : "";
  return found === 0 ? `nothing was left of it${stays}` : `${found === 1 ? "1 place was" : `${found} places were`} deleted, and none is there any more${stays}`;
}

/** What is left, and why; undefined where all is gone. */
export function leftWords({ purged = [], leftAlone = [] }: Pick<Receipt, "purged" | "leftAlone">): string | undefined {
  const left = [...purged.filter((line) => !isProved(line)).map(lineWords), ...leftAlone.filter(({ holds }) => holds !== "id").map(leftAloneWords)];
  return left.length === 0 ? undefined : left.join("; ");
}

/** What is held up goes another time; what is shared with others stays. */
export function notAllGone({ purged = [], leftAlone = [] }: Receipt, name: string, left: string): string {
  return purged.every(isProved) && !leftAlone.some(({ holds }) => holds === "unseen")
    ? `Purged the conversation of ${name}, but something of it stays, since it is not known to be its alone: ${left}.`
    : `The conversation of ${name} is not all gone. What is left: ${left}. Purge it again when that has changed.`;
}

function lineWords({ store, path, outcome, residue }: StoreLine): string {
  return `${store} (${outcome.kind === "blocked" ? `${path}: ${outcome.reason}` : residue.join(", ")})`;
}

function leftAloneWords({ name, path, why }: LeftAlone): string {
  return `${name} (${path}: ${why})`;
}
