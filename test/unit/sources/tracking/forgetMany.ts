import { once } from "node:events";
import { createTrackingSource } from "../../../../src/sources/tracking/trackingSource.ts";
import { forgetIn } from "./aTracking.ts";

// A window of its own: takes out one session after the other, as soon as it is told to, or at once.
const [env = "", details = "", when, ...ids] = process.argv.slice(2);
const source = createTrackingSource({ env, details });
if (when === "when told") {
  console.log("ready");
  await once(process.stdin, "data");
  process.stdin.destroy();
}
for (const id of ids) {
  const outcome = await forgetIn(source, id);
  console.log(outcome.kind === "failed" ? outcome.reason : outcome.kind);
}
