import { realpath, stat } from "node:fs/promises";
import type { BigIntStats } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Whether two paths lead to one folder, or did before it was removed; links are resolved, and letters composed or decomposed are the same letters where no two folders tell them apart. */
export async function isSameFolder(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([findFolder(a), findFolder(b)]);
  if (one && other) return one.dev === other.dev && one.ino === other.ino;
  return (await asWritten(a)) === (await asWritten(b));
}

async function findFolder(path: string): Promise<BigIntStats | undefined> {
  for (const spelled of new Set([path, path.normalize("NFC"), path.normalize("NFD")])) {
    const found = await stat(spelled, { bigint: true }).catch(() => undefined);
    if (found) return found;
  }
  return undefined;
}

/** As far as it is still there, by its real path. */
async function asWritten(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real.normalize("NFC");
  const above = dirname(path);
  return above === path ? path : join(await asWritten(above), basename(path)).normalize("NFC");
}
