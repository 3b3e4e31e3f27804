import type { Agent } from "../core/agent.ts";
import { agy } from "./agy.ts";
import { claude } from "./claude/claude.ts";
import { cline } from "./cline/cline.ts";
import { codex } from "./codex/codex.ts";
import { copilot } from "./copilot/copilot.ts";
import { gemini } from "./gemini/gemini.ts";
import { hermes } from "./hermes.ts";
import { opencode } from "./opencode/opencode.ts";

export const agents: readonly Agent[] = [claude, codex, gemini, copilot, opencode, cline, agy, hermes];
