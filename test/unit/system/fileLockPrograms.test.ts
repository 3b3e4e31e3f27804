import { execFileSync } from "node:child_process";
import { access, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tryFileLock, withFileLock } from "../../../src/system/fileLock.ts";
import { aFolder } from "../../support/folder.ts";

const whereIs = (program: string): string => execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();

test("a lock file that is removed in the very moment is not taken for the one that is there now", async () => {
  await using folder = await aFolder();
  const [path, programs] = [join(folder.path, "lock"), join(folder.path, "bin")];
  await mkdir(programs);
  // Removes the file between our opening and our locking it, once.
  const script = `#!/bin/sh\nif mkdir '${folder.path}/once' 2>/dev/null; then rm '${path}'; fi\nexec '${whereIs("flock")}' "$@"\n`;
  await writeFile(join(programs, "flock"), script, { mode: 0o755 });
  withPath(programs + delimiter + process.env["PATH"]);
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
  await access(join(folder.path, "once"));
  expect(await tryFileLock(path)).toBeUndefined();
});

test("where there is no flock, perl takes it", async () => {
  await using folder = await aFolder();
  const [path, programs] = [join(folder.path, "lock"), join(folder.path, "bin")];
  await mkdir(programs);
  await symlink(whereIs("perl"), join(programs, "perl"));
  withPath(programs);
  await using lock = await tryFileLock(path);
  expect(lock).toBeDefined();
  expect(await tryFileLock(path)).toBeUndefined();
});

test("where there is neither, nothing is locked, and it says so", async () => {
  await using folder = await aFolder();
  withPath(folder.path);
  await expect(tryFileLock(join(folder.path, "lock"))).rejects.toThrow("Neither flock nor perl is on PATH");
});

test.each([
  ["flock", 71],
  ["flock", 66],
  ["perl", 71],
  ["perl", 2],
])("where %s can't lock at all (%i) it is not taken for another's, and it says why", async (program, code) => {
  await using folder = await aFolder();
  const [path, programs] = [join(folder.path, "lock"), join(folder.path, "bin")];
  await mkdir(programs);
  await writeFile(join(programs, program), `#!/bin/sh\necho '${program}: 0: No locks available' >&2\nexit ${code}\n`, { mode: 0o755 });
  await symlink("/bin/sh", join(programs, "sh"));
  withPath(programs);
  await expect(tryFileLock(path)).rejects.toThrow(`${path} can't be locked: ${program}: 0: No locks available`);
  await expect(withFileLock(path, 1_000, async () => "used")).rejects.toThrow("No locks available");
});

test("a program that is killed while it locks has not found another's lock", async () => {
  await using folder = await aFolder();
  const programs = join(folder.path, "bin");
  await mkdir(programs);
  await writeFile(join(programs, "flock"), "#!/bin/sh\nkill -KILL $$\n", { mode: 0o755 });
  withPath(programs);
  await expect(tryFileLock(join(folder.path, "lock"))).rejects.toThrow("flock was ended by SIGKILL");
});

function withPath(path: string): void {
  const before = process.env["PATH"];
  process.env["PATH"] = path;
  onTestFinished(() => void (process.env["PATH"] = before));
}
