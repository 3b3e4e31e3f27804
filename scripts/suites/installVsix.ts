import { resolveCliPathFromVSCodeExecutablePath } from "@vscode/test-electron";
import { execa } from "execa";
import { webHostServer } from "../webHost/setUp.ts";

interface Places {
  readonly data: string;
  readonly extensions: string;
}

/** By VS Code's own installer: the desktop's, or the web host's where that is empty. Throws with what it said where that fails. */
export async function installVsix(
  vsix: string,
  desktop: string,
  { data, extensions }: Places,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const install = ["--extensions-dir", extensions, "--install-extension", vsix];
  const [program, ...args] =
    desktop === ""
      ? [process.execPath, webHostServer, "--accept-server-license-terms", "--server-data-dir", data, ...install]
      : [resolveCliPathFromVSCodeExecutablePath(desktop), "--user-data-dir", data, ...install];
  // An empty gallery: nothing is looked up outside this machine.
  await execa(program, args, { env: { ...env, EXTENSIONS_GALLERY: "{}" }, stdin: "ignore", timeout: 60_000 });
}
