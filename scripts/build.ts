import type { BuildOptions, Plugin } from "esbuild";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bundles both faces into dist/: CommonJS, with `vscode`, the native database, the YAML library, what starts programs and what a purge needs left outside. */
export async function buildProduct(): Promise<void> {
  // Several test files at once would else write what the others are just reading.
  if (process.env["SESSION_WARDEN_BUILT"] === "1") return;
  await bundle({ extension: "src/extension.ts", cli: "src/cli.ts" }, "dist");
}

/** What runs in an extension host, tests too. `settings` go before ours. */
export async function bundle(entryPoints: Readonly<Record<string, string>>, outdir: string, settings: BuildOptions = {}): Promise<void> {
  const { plugins = [], ...own } = settings;
  await bundleOf({ ...entryPoints, stores: "src/agents/stores.ts" }, outdir, { ...own, plugins: [...plugins, besideThem] });
  await bundleOf({ execa: "execa" }, outdir, { sourcemap: false });
}

/**
 * In files of their own, which are read when they are needed: what starts programs, as the first one is started, and which is made of modules that no
 * bundle of CommonJS could ask for one by one; and what knows of every place where an agent keeps a conversation, as a purge is planned.
 */
const besideThem: Plugin = {
  name: "beside the bundles",
  setup(bundling) {
    bundling.onResolve({ filter: /^execa$/ }, () => ({ path: "./execa.js", external: true }));
    bundling.onResolve({ filter: /^\.\.\/stores\.ts$/ }, ({ kind }) => (kind === "dynamic-import" ? { path: "./stores.js", external: true } : undefined));
  },
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
