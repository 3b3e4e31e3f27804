import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A real folder for a test, removed at its end. */
export async function aFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "warden-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
