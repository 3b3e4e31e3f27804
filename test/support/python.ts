import { execFileSync } from "node:child_process";

/** A Python with PyYAML: the other side of the registry. */
export const python = ["python3", "/usr/bin/python3"].find(canYaml) ?? "python3";

/** Runs a script with a JSON value on its standard input; what it prints is JSON too. */
export function runPython(script: string, input: unknown = null, args: readonly string[] = []): unknown {
  const text = execFileSync(python, ["-c", script, ...args], {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    timeout: 120_000,
  });
  return text === "" ? undefined : JSON.parse(text);
}

function canYaml(program: string): boolean {
  try {
    execFileSync(program, ["-c", "import yaml, sqlite3"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
