import type { Receipt } from "../core/receipt.ts";

/** 0 done or nothing to do; 1 not found, partial, refused or failed; 2 bad or ambiguous arguments; 3 needs --yes. */
export type ExitCode = 0 | 1 | 2 | 3;

export function exitCodeOf({ result }: Receipt): ExitCode {
  switch (result.kind) {
    case "success":
      return 0;
    case "partial":
    case "failed":
      return 1;
    case "refused":
      return result.reason === "mustBeNamed" ? 3 : result.reason === "ambiguous" ? 2 : 1;
  }
}
