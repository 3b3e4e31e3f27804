import { livenessOf } from "../../core/census.ts";
import type { Census } from "../../core/census.ts";
import type { Evidence } from "../../core/evidence.ts";
import type { Liveness } from "../../core/facet.ts";
import type { Entry } from "./entry.ts";

/** A process that went on to a new conversation lives for that one only. */
export function seenIn(census: Census, { process, end }: Entry): Evidence<Liveness> {
  if (end?.how === "cleared") return { value: "gone", seen: `process ${process.pid} went on to a new conversation`, at: census.at };
  const value = livenessOf(process, census);
  const where = process.host !== undefined && process.host !== census.here.host ? ` on ${process.host}` : "";
  switch (value) {
    case "alive":
      return { value, seen: `process ${process.pid}`, at: census.at };
    case "gone":
      return { value, seen: `process ${process.pid} is gone`, at: census.at };
    case "unknown":
      return { value, seen: `process ${process.pid}${where} can't be seen from here`, at: census.at };
  }
}

export const notLookedAt: Evidence<Liveness> = { value: "unknown", seen: "not looked at", at: 0 };
