import { expect } from "vitest";
import { filesHolding } from "./byteSearch.ts";
import type { Lab } from "./lab.ts";
import { warden } from "./warden.ts";

/** A receipt, as far as a purge's is looked at. */
export interface Purged {
  readonly status: string;
  readonly purge_result: string;
  readonly purged: readonly { readonly store: string; readonly path: string; readonly outcome: string; readonly residue: readonly string[] }[];
  readonly left_alone: readonly { readonly path: string; readonly holds: string }[];
  readonly warnings: readonly string[];
}

/** Purges a conversation that has ended, and looks past the product at what that owes: without --yes only the plan is shown; afterwards its words and its id are in no byte of the lab but where the receipt says. */
export async function purgesWell(lab: Lab, key: string, { id, marker }: { readonly id: string; readonly marker: string }): Promise<void> {
  expect(filesHolding(lab, marker).length).toBeGreaterThan(0);
  const planned = await warden(lab, "purge", key);
  expect(planned, planned.stderr).toMatchObject({ code: 3 });
  expect(planned.stdout).toContain(id);

  const { code, stdout } = await warden(lab, "purge", key, "--yes", "--json");
  const receipt = JSON.parse(stdout) as Purged;
  expect(receipt, stdout).toMatchObject({ status: "success", purge_result: "complete" });
  expect(code).toBe(0);
  expect(unsaid(lab, receipt, marker)).toEqual([]);
  expect(unnamed(lab, receipt, id)).toEqual([]);
}

/** Where a text is found that the receipt does not name: neither as what may remain in pages that SQLite no longer uses, nor as what stays. */
export function unnamed(lab: Lab, receipt: Purged, ...texts: readonly string[]): readonly string[] {
  return unsaid(lab, receipt, ...texts).filter((path) => !receipt.left_alone.some((left) => left.path === path));
}

function unsaid(lab: Lab, { warnings }: Purged, ...texts: readonly string[]): readonly string[] {
  return filesHolding(lab, ...texts).filter((path) => !warnings.some((warning) => warning.includes(path.replace(/-wal$/, ""))));
}
