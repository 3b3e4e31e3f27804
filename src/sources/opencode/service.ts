import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import { isAbsence } from "../../system/files.ts";
import { originOf } from "../../system/listeningPorts.ts";
import type { Login } from "./client.ts";
import { originIn } from "./origin.ts";
import type { OpencodeProcess } from "./processes.ts";

const Registration = z.object({ url: z.url(), pid: z.number().int().positive(), password: z.string().optional() });

export interface Service {
  readonly origin: string;
  readonly process: OpencodeProcess;
  readonly isExpected: true;
  readonly login?: Login;
}

/**
 * The background service of OpenCode 2.x, from the file in which it registers itself (told by others, never run here): only this user's own file that
 * nobody else may read, and only where the process that it names is OpenCode and listens on the port that it names.
 */
export async function findService(processes: readonly OpencodeProcess[], file = registrationFile()): Promise<Service | undefined> {
  const parsed = Registration.safeParse(await readPrivate(file));
  if (!parsed.success) return undefined;
  const { url, pid, password } = parsed.data;
  const origin = originIn(url);
  const process = processes.find(({ entry, ports }) => entry.identity.pid === pid && ports.some((port) => originOf(port) === origin));
  return process && origin !== undefined
    ? { origin, process, isExpected: true, ...(password !== undefined && { login: { user: "opencode", password } }) }
    : undefined;
}

function registrationFile(): string {
  const state = process.env["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(state) ? state : join(homedir(), ".local", "state"), "opencode", "service.json");
}

async function readPrivate(path: string): Promise<unknown> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { mode, uid, size } = await file.stat();
    if (uid !== process.getuid?.() || (mode & 0o077) !== 0 || size > 100_000) return undefined;
    return JSON.parse(await file.readFile("utf8")) as unknown;
  } catch (error) {
    if (isAbsence(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
