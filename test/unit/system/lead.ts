import { becomeLeader } from "../../../src/system/leader.ts";

// A window of its own that leads until it is killed.
becomeLeader(process.argv[2] ?? "", () => {
  console.log("leads");
  return { [Symbol.dispose]() {} };
});
setInterval(() => undefined, 60_000);
