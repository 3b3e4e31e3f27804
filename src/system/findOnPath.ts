import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The path of a program that a person could type; undefined where there is none. */
export async function findOnPath(program: string): Promise<string | undefined> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter).filter((each) => each.startsWith("/"))) {
    const path = join(folder, program);
    const isProgram = await access(path, constants.X_OK).then(
      async () => (await stat(path)).isFile(),
      () => false,
    );
    if (isProgram) return path;
  }
  return undefined;
}
