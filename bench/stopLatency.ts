import { setTimeout as sleep } from "node:timers/promises";
import { openStage } from "../test/support/stage.ts";
import { median } from "./statistics.ts";

export interface StopFigures {
  readonly verdictMs: number;
  readonly afterEndMs: number;
  readonly fixedSleepMs: number;
}

/** A stand-in that leaves 50 ms after it is asked, stopped 15 times; beside it the seed's ladder of fixed sleeps (3 s after asking, 5 s after hanging up). */
export async function measureStop(): Promise<StopFigures> {
  await using stage = await openStage();
  const verdicts: number[] = [];
  for (let index = 0; index < 15; index++) {
    const session = await stage.startInPane(`bench ${index}`, "claude", { subject: `bench ${index}`, exitMs: 50 });
    const receipt = (await stage.warden(["stop", session.key, "--json"])).json();
    verdicts.push(receipt.cleanup_duration_seconds * 1000);
  }
  return { verdictMs: median(verdicts), afterEndMs: median(verdicts) - 50, fixedSleepMs: await fixedLadderMs() };
}

/** Its sleeps alone, measured: it can't be faster than they are. */
async function fixedLadderMs(): Promise<number> {
  const began = performance.now();
  await sleep(3_000);
  await sleep(5_000);
  return performance.now() - began;
}
