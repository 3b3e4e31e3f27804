import { existsSync } from "node:fs";
import { execa } from "execa";

const debians = "/usr/bin/chromium";

/** The browser to drive: what CHROMIUM names, else Debian's, which root has installed here if it is missing. */
export async function findChromium(): Promise<string> {
  const named = process.env["CHROMIUM"];
  if (named) return named;
  if (existsSync(debians)) return debians;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("Installing Chromium from Debian …");
    const apt = { stdin: "ignore", stdout: "ignore", stderr: "inherit", env: { DEBIAN_FRONTEND: "noninteractive" } } as const;
    await execa("apt-get", ["update", "-qq"], apt);
    await execa("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], apt);
    return debians;
  }
  throw new Error("Chromium is needed to show VS Code here. Install it with `sudo apt-get install chromium`, or name one in the variable CHROMIUM.");
}
