import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { untilScreen } from "../panes.ts";
import { environmentOf } from "../processes.ts";
import { configure, launch } from "./agent.ts";
import type { Agent, Start } from "./agent.ts";

/** Resolves when Gemini's composer is open. Its process is the inner one: the outer only restarts it. */
export async function startGemini(lab: Lab, start: Start): Promise<Agent> {
  configure(join(lab.home, ".gemini/settings.json"), {
    security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false },
    telemetry: { enabled: false },
    // A named model: without one another model is asked first which to take.
    model: { name: "gemini-2.5-flash" },
  });
  const agent = await launch(lab, "gemini", start, (found) => environmentOf(found.pid)["GEMINI_CLI_NO_RELAUNCH"] === "true");
  await untilScreen(agent.pane, "Type your message");
  return agent;
}
