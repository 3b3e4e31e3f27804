import { ancestorsOf } from "../core/census.ts";
import type { Census } from "../core/census.ts";
import type { ProcessIdentity } from "../core/process.ts";
import { isSameProcess } from "../core/process.ts";

/** This window, this command line and their ancestors: what a person uses to read our answer is never ended by it. */
export function whyProtected(target: ProcessIdentity, census: Census): string | undefined {
  return ancestorsOf(process.pid, census).some(({ identity }) => isSameProcess(identity, target)) ? "it runs what you are using now" : undefined;
}
