import { tryFileLock } from "../../../src/system/fileLock.ts";

// Holds a lock until it is killed.
const lock = await tryFileLock(process.argv[2] ?? "");
console.log(lock ? "held" : "busy");
setInterval(() => lock, 60_000);
