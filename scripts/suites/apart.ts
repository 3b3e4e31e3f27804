import { execa } from "execa";

/** The same command with no processes around it but its own, where this machine allows it (Linux, root): a census taken by a test then holds nobody else's agents. */
export async function apart(argv: readonly [string, ...string[]]): Promise<readonly [string, ...string[]]> {
  const [program, ...args] = unshare;
  const { failed } = await execa(program, [...args, "true"], { reject: false, stdio: "ignore" });
  // The shell is there to reap orphans: whoever is the first process of such a world is the parent of all that lose theirs.
  return failed ? argv : [...unshare, "sh", "-c", '"$@"; exit $?', "sh", ...argv];
}

const unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;
