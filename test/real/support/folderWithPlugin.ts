import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "./lab.ts";

/** A folder whose plugin writes down which process has run it. */
export function folderWithPlugin(lab: Lab, name: string): { readonly folder: string; readonly ranBy: () => readonly number[] } {
  const folder = lab.folder(name);
  const ran = join(lab.root, `ran in ${name}`);
  writeFileSync(ran, "");
  mkdirSync(join(folder, ".opencode/plugin"), { recursive: true });
  const plugin = `import { appendFileSync } from "node:fs";\nexport const noted = async () => {\n  appendFileSync(${JSON.stringify(ran)}, process.pid + "\\n");\n  return {};\n};\n`;
  writeFileSync(join(folder, ".opencode/plugin/p.js"), plugin);
  return { folder, ranBy: () => readFileSync(ran, "utf8").split("\n").filter(Boolean).map(Number) };
}
