import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { untilScreen } from "../panes.ts";
import { configure, launch } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";

/** Resolves when OpenCode's composer is open. It runs tools without asking. */
export async function startOpencode(lab: Lab, start: Start): Promise<Agent> {
  configureOpencode(lab);
  const agent = await launch(lab, "opencode", { ...start, env: { ...offline, ...start.env } }, ({ comm }) => comm === "opencode");
  await untilScreen(agent.pane, "Ask anything");
  return agent;
}

/** So that it asks nobody outside for updates, models, plugins; on its first use of a folder it would install one from a registry. */
export const offline: Lab["env"] = {
  ...Object.fromEntries(["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"].map((what) => [`OPENCODE_DISABLE_${what}`, "1"])),
  npm_config_registry: "http://127.0.0.1:9",
  npm_config_fetch_retries: "0",
};

/** Its model is the lab's; tools run without asking, unless a folder or a session says otherwise. */
export function configureOpencode(lab: Lab): void {
  configure(join(lab.env["XDG_CONFIG_HOME"] ?? "", "opencode/opencode.json"), {
    autoupdate: false,
    share: "disabled",
    snapshot: false,
    enabled_providers: ["fake"],
    model: "fake/fake-model",
    small_model: "fake/fake-model",
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${lab.model.url}/v1`, apiKey: "none" },
        models: { "fake-model": { name: "Fake", tool_call: true, limit: { context: 200_000, output: 8192 } } },
      },
    },
    permission: { "*": "allow" },
  });
}
