import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bundles both faces into dist/: CommonJS, with `vscode` and the native database left outside. */
export async function buildProduct(): Promise<void> {
  await bundle({ extension: "src/extension.ts", cli: "src/cli.ts" }, "dist");
}

export async function bundle(entryPoints: Readonly<{ [name: string]: string }>, outdir: string, external: readonly string[] = []): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22.15",
    external: ["vscode", "better-sqlite3", ...external],
    minify: true,
    keepNames: true,
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
  });
}

if (import.meta.main) await buildProduct();
