import { recordStop } from "./aStop.ts";

// A window that records one stop, and says what came of it.
const [path = "", name = ""] = process.argv.slice(2);
console.log((await recordStop(path, name)).kind);
