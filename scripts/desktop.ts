import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** VS Code's own program: what VSCODE_EXECUTABLE names, else the one behind `code` where a window can open. Undefined where only the web host is left. */
export function findDesktop(): string | undefined {
  const named = process.env["VSCODE_EXECUTABLE"];
  if (named) return named;
  if (process.platform === "linux" && !process.env["DISPLAY"] && !process.env["WAYLAND_DISPLAY"]) return undefined;
  const code = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "code"))
    .find((file) => existsSync(file));
  return code === undefined ? undefined : programBehind(realpathSync(code));
}

/** `code` is a script that only asks the program to open a window; a remote window's own `code` has no program beside it. */
function programBehind(script: string): string | undefined {
  const bin = dirname(script);
  const candidates = [join(bin, "../code"), join(bin, "../../../MacOS/Electron"), join(bin, "../../../MacOS/Code")];
  return candidates.find((file) => existsSync(file));
}
