const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const agents = {
  "@anthropic-ai/claude-code": "./claude.cjs",
  "@openai/codex": "./codex.cjs",
  cline: "./cline.cjs",
  "@google/gemini-cli": "./gemini.cjs",
};

/** The agent whose package this folder lies in. */
exports.agentHere = function agentHere(folder) {
  const { name } = JSON.parse(readFileSync(join(dirname(folder), "package.json"), "utf8"));
  return require(agents[name]);
};
