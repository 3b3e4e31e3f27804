import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { endMarked, markName } from "../ownProcesses.ts";
import { setUpWebHost, webHostServer } from "./setUp.ts";

/** Its end ends all that was started in it, terminals' programs too. */
export interface WebHost extends AsyncDisposable {
  /** With its token, without a folder or an extension: see `urlOf`. */
  readonly origin: string;
  readonly token: string | undefined;
  /** The person's settings, for pages that are opened from now on. */
  readonly set: (settings: Readonly<Record<string, unknown>>) => void;
  /** Everything that it wrote so far, for a failure's log. */
  output(): string;
}

export interface WebHostOptions {
  /** Holds settings, logs and state. */
  readonly dataFolder: string;
  readonly extensionsFolder: string;
  /** Who opens the page has to know it. Without one, everybody on this machine may. */
  readonly token?: string;
  /** Lets `urlOf` name an extension that is not installed, and its tests. Such a page shows no notifications. */
  readonly forTests?: true;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What ends with the host: all that was started in it, or only the host's own processes, so that a person's programs in its terminals live on as far as they do without one. */
  readonly ends?: "all" | "host";
  readonly readyWithinMs?: number;
}

/** Starts VS Code's server on a free port of the loopback interface; resolves as soon as it answers. */
export async function startWebHost({
  dataFolder,
  extensionsFolder,
  token,
  forTests,
  settings = {},
  env = {},
  ends = "all",
  readyWithinMs = 30_000,
}: WebHostOptions): Promise<WebHost> {
  await setUpWebHost();
  const mark = env[markName] ?? randomBytes(12).toString("hex");
  const set: WebHost["set"] = (values) => {
    mkdirSync(join(dataFolder, "data/User"), { recursive: true });
    writeFileSync(join(dataFolder, "data/User/settings.json"), JSON.stringify({ ...plainSettings, ...values }));
  };
  set(settings);
  const access = token === undefined ? ["--without-connection-token"] : ["--connection-token", token];
  const places = ["--server-data-dir", dataFolder, "--extensions-dir", extensionsFolder];
  // Without it a built VS Code ignores the extension paths of the page's payload.
  const tests = forTests ? ["--enable-smoke-test-driver"] : [];
  const server = execa(process.execPath, [webHostServer, ...always, ...access, ...places, ...tests], {
    // An empty gallery: nothing is looked up outside this machine.
    env: { ...env, EXTENSIONS_GALLERY: "{}", [markName]: mark },
    stdin: "ignore",
    all: true,
    reject: false,
    cleanup: true,
    buffer: false,
  });
  let output = "";
  server.all.setEncoding("utf8").on("data", (text: string) => (output += text));

  const dispose = async (): Promise<void> => {
    await endMarked(mark, { only: ends === "host" ? isHosts : undefined });
    await server;
  };
  try {
    const port = await portOf(server.all, () => output, readyWithinMs);
    return { origin: `http://127.0.0.1:${port}`, token, set, output: () => output, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Where to open a folder in the host; in a host for tests, with an extension under development and what tests it. */
export function urlOf({ origin, token }: WebHost, folder: string, tested?: { readonly extension: string; readonly tests: string }): string {
  const remote = `vscode-remote://${new URL(origin).host}`;
  const payload = tested && [
    ["extensionDevelopmentPath", remote + tested.extension],
    ["extensionTestsPath", remote + tested.tests],
  ];
  const query = new URLSearchParams({
    ...(token === undefined ? {} : { tkn: token }),
    folder,
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  });
  return `${origin}/?${query.toString()}`;
}

/** Port 0 is a free one. */
const always = "--host 127.0.0.1 --port 0 --accept-server-license-terms --telemetry-level off --disable-workspace-trust".split(" ");

/** Nothing that talks to other machines or hides what is looked at. */
const plainSettings = {
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  "chat.disableAIFeatures": true,
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
};

function isHosts(argv: readonly string[]): boolean {
  return argv.some((argument) => argument.startsWith(dirname(dirname(webHostServer))));
}

async function portOf(stream: NodeJS.ReadableStream, output: () => string, withinMs: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`The web host did not start within ${withinMs / 1000} s.\n${output()}`)), withinMs);
    const look = (): void => {
      const port = /listening on (\d+)/.exec(output())?.[1];
      if (port === undefined) return;
      clearTimeout(late);
      stream.off("data", look);
      resolve(Number(port));
    };
    stream.on("data", look);
    stream.once("end", () => {
      clearTimeout(late);
      reject(new Error(`The web host ended at once.\n${output()}`));
    });
  });
}
