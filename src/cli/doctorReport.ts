import { examine, reportOf } from "../core/doctor.ts";
import type { Warden } from "../core/warden.ts";
import { selfTest } from "../selfTest.ts";
import type { Settings } from "../settings.ts";
import type { ExitCode } from "./exitCode.ts";
import { plain } from "./listing.ts";
import { lookTwice } from "./lookTwice.ts";

/** What is wrong, and what looking has cost. That something is wrong is no failure of the command. */
export async function tellReport(warden: Warden, json: boolean): Promise<ExitCode> {
  const findings = examine(await lookTwice(warden.roster), warden.can);
  const cost = warden.cost();
  console.log(json ? JSON.stringify({ findings, cost }, undefined, 2) : reportOf(findings, cost).map(plain).join("\n"));
  return 0;
}

export async function tellSelfTest(settings: Settings, json: boolean): Promise<ExitCode> {
  const checks = await selfTest(settings);
  console.log(json ? JSON.stringify(checks, undefined, 2) : checks.map(({ says, outcome, seen }) => `${marks[outcome]} ${says} (${seen})`).join("\n"));
  return checks.some(({ outcome }) => outcome === "wrong") ? 1 : 0;
}
const marks = { right: "ok   ", wrong: "WRONG", notHere: "-    " } as const;
