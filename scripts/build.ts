import type { BuildOptions, Plugin } from "esbuild";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bundles both faces into dist/: CommonJS, with `vscode`, the native database, the YAML library and what starts programs left outside. */
export async function buildProduct(): Promise<void> {
  // Several test files at once would else write what the others are just reading.
  if (process.env["SESSION_WARDEN_BUILT"] === "1") return;
  await bundle({ extension: "src/extension.ts", cli: "src/cli.ts" }, "dist");
}

/** What runs in an extension host, tests too. `settings` go before ours. */
export async function bundle(entryPoints: Readonly<Record<string, string>>, outdir: string, settings: BuildOptions = {}): Promise<void> {
  const { plugins = [], ...own } = settings;
  await bundleOf(entryPoints, outdir, { ...own, plugins: [...plugins, besideThem] });
  await bundleOf({ execa: "execa" }, outdir, { sourcemap: false });
}

/** In a file of its own, which is read as the first program is started: it is made of modules that no bundle of CommonJS could ask for one by one. */
const besideThem: Plugin = {
  name: "execa beside the bundles",
  setup: (bundling) => bundling.onResolve({ filter: /^execa$/ }, () => ({ path: "./execa.js", external: true })),
};

async function bundleOf(entryPoints: Readonly<Record<string, string>>, outdir: string, settings: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: { ...entryPoints },
    outdir,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22.15",
    // Beside the bundle, for whom a registry is set: half as long again would be read at every start else.
    external: ["vscode", "better-sqlite3", "yaml"],
    minify: true,
    keepNames: true,
    sourcemap: "linked",
    sourcesContent: false,
    // Zod looks at it for a browser's sake, and VS Code notes an error for each extension that does: https://aka.ms/vscode-extensions/navigator
    define: { navigator: "undefined" },
    logLevel: "warning",
    ...settings,
  });
}

if (import.meta.main) await buildProduct();
