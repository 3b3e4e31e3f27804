import { readFile } from "node:fs/promises";
import { unlessAbsent } from "./procFiles.ts";

/** Whether one of them has loaded what a program talks to a screen with; false where the system does not tell. */
export async function mayHaveWindow(pids: readonly number[]): Promise<boolean> {
  const maps = await Promise.all(pids.map((pid) => unlessAbsent(readFile(`/proc/${pid}/maps`, "latin1"))));
  return maps.some((map) => /\/lib(X11|xcb|wayland-client)\.so/.test(map ?? ""));
}
