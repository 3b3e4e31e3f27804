import { expect, test } from "vitest";
import { parseSettings, settingsFileText } from "../../src/settings.ts";

const defaults = {
  tmuxProgram: "tmux",
  tmuxSockets: [],
  configHomes: [],
  notify: true,
  muxRegistry: "",
  muxPublishEvent: [],
  opencodeServers: [],
  entireRepositories: [],
  trackingEnv: "/tmp/async-sessions.env",
  trackingDetails: "/tmp/async-sessions-details.json",
};

test.each([[undefined], [null], ["text"], [7], [[]], [{}], [{ unknown: true }]])("%j: everything is as it is without settings", (value) => {
  expect(parseSettings(value)).toEqual(defaults);
});

test("each value is taken under the editor's own key", () => {
  const asked = {
    "tmux.program": "/opt/tmux",
    "tmux.sockets": ["/tmp/a"],
    configHomes: ["/home/someone/.claude-work"],
    notify: false,
    "mux.registry": "/r.yaml",
    "mux.publishEvent": ["/p", "x"],
    "opencode.servers": ["http://127.0.0.1:5000"],
    "entire.repositories": ["/r"],
    "tracking.env": "/t.env",
    "tracking.details": "/t.json",
  };
  expect(parseSettings(asked)).toEqual({
    tmuxProgram: "/opt/tmux",
    tmuxSockets: ["/tmp/a"],
    configHomes: ["/home/someone/.claude-work"],
    notify: false,
    muxRegistry: "/r.yaml",
    muxPublishEvent: ["/p", "x"],
    opencodeServers: ["http://127.0.0.1:5000"],
    entireRepositories: ["/r"],
    trackingEnv: "/t.env",
    trackingDetails: "/t.json",
  });
});

test.each([
  { "tmux.program": "" },
  { "tmux.program": 7 },
  { "tmux.sockets": "/tmp/a" },
  { "tmux.sockets": [""] },
  { configHomes: [7] },
  { notify: "no" },
  { "opencode.servers": [""] },
  { "entire.repositories": [""] },
  { "tracking.env": 7 },
])("a value that can't be used is as if it were not there: %j", (value) => {
  expect(parseSettings(value)).toEqual(defaults);
});

test("a value that can't be used takes no other with it", () => {
  expect(parseSettings({ "tmux.program": 7, notify: false })).toEqual({ ...defaults, notify: false });
});

test("the settings file gives back what was written", () => {
  const settings = {
    tmuxProgram: "/opt/tmux",
    tmuxSockets: ["/tmp/a"],
    configHomes: ["/x"],
    notify: false,
    muxRegistry: "/r.yaml",
    muxPublishEvent: ["/p"],
    opencodeServers: ["http://a:1"],
    entireRepositories: ["/r"],
    trackingEnv: "/e",
    trackingDetails: "",
  };
  expect(parseSettings(JSON.parse(settingsFileText(settings)))).toEqual(settings);
});
