/** What only a purge needs of the agents: a bundle of its own, which is read when one is planned. */
export { stores as claudeStores } from "./claude/stores/stores.ts";
export { clineStores } from "./cline/stores.ts";
export { storesIn as codexStores } from "./codex/stores.ts";
export { storesOf as copilotStores } from "./copilot/stores.ts";
export { storesOf as geminiStores } from "./gemini/stores.ts";
export { storesOf as opencodeStores } from "./opencode/stores.ts";
