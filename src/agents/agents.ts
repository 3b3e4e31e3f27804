import type { Agent } from "../core/agent.ts";
import { claude } from "./claude/claude.ts";

export const agents: readonly Agent[] = [claude];
