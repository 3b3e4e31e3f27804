import { readFile } from "node:fs/promises";
import type { Trace } from "../core/orphanProtection.ts";
import { unlessAbsent } from "./procFiles.ts";

/** Whether a service manager keeps a process. What is in the same unit as this program is not told apart by it: an editor itself may be one. */
export async function serviceOf(pid: number): Promise<Trace["service"]> {
  // launchd starts services as it takes over orphans: as their parent.
  if (process.platform !== "linux") return { kind: "unknown" };
  const [theirs, ours] = await Promise.all([groupsOf(pid), groupsOf(process.pid)]);
  if (theirs === undefined) return { kind: "unknown" };
  const unit = unitIn(theirs);
  return unit === undefined || unit === unitIn(ours ?? "") ? { kind: "none" } : { kind: "kept", by: unit };
}

async function groupsOf(pid: number): Promise<string | undefined> {
  return unlessAbsent(readFile(`/proc/${pid}/cgroup`, "latin1"));
}

/** systemd.unit(5): the innermost unit of its control group, where that is a service and no scope of a login or an application. Undefined: none is. */
export function unitIn(groups: string): string | undefined {
  const [, path = ""] = /^(?:0:|\d+:name=systemd):(.*)$/m.exec(systemdsFirst(groups)) ?? [];
  const unit = path.split("/").findLast((part) => /\.(service|scope)$/.test(part));
  if (unit === undefined) return undefined;
  if (unit.endsWith(".scope")) return containers.test(unit) ? unit : undefined;
  // The manager of a user's own units; what it runs itself is in units below it.
  return /^user@\d+\.service$/.test(unit) ? undefined : unit;
}
const containers = /^(docker|libpod|crio|cri-containerd|machine)-/;

/** With both kinds of control groups at once, systemd's own line tells. */
function systemdsFirst(groups: string): string {
  return groups
    .split("\n")
    .toSorted((a, b) => Number(b.includes(":name=systemd:")) - Number(a.includes(":name=systemd:")))
    .join("\n");
}
