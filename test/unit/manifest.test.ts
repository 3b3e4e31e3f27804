import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseSettings, settingsFileText } from "../../src/settings.ts";
import { commandIds } from "../../src/vscode/commandIds.ts";
import { contextWords } from "../../src/vscode/treeItems.ts";

interface MenuItem {
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
  readonly group?: string;
}
interface Setting {
  readonly scope: string;
  readonly default: unknown;
  readonly markdownDescription: string;
}
interface Manifest {
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category: string; readonly icon?: string; readonly enablement?: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly submenus: readonly { readonly id: string }[];
    readonly keybindings: readonly { readonly command: string; readonly when?: string; readonly args?: unknown }[];
    readonly viewsWelcome: readonly { readonly contents: string; readonly when: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
  };
}

const root = join(import.meta.dirname, "../..");
const text = readFileSync(join(root, "package.json"), "utf8");
const manifest = JSON.parse(text) as Manifest;
const nls = JSON.parse(readFileSync(join(root, "package.nls.json"), "utf8")) as Readonly<Record<string, string>>;
const { commands, menus, submenus, keybindings, viewsWelcome, configuration } = manifest.contributes;
const entries = Object.values(menus).flat();

it("the manifest names the commands of the code, no more and no fewer", () => {
  expect(commands.map(({ command }) => command).sort()).toEqual([...commandIds].sort());
});

it("menus, keys and welcome texts name commands that there are", () => {
  const links = viewsWelcome.flatMap(({ contents }) =>
    [...(nls[contents.replaceAll("%", "")] ?? "").matchAll(/\(command:(sessionWarden\.\w+)\)/g)].map(([, id]) => id),
  );
  const named = [...entries.flatMap(({ command }) => command ?? []), ...keybindings.map(({ command }) => command), ...links];
  expect(named.filter((id) => !commandIds.some((known) => known === id))).toEqual([]);
  const open = submenus.map(({ id }) => id);
  expect(entries.flatMap(({ submenu }) => submenu ?? []).filter((id) => !open.includes(id))).toEqual([]);
});

it("menus ask for words that a row can have", () => {
  const asked = entries.flatMap(({ when = "" }) =>
    [...when.matchAll(/viewItem =~ \/([^/]+)\//g)].flatMap(([, pattern = ""]) => pattern.replaceAll("\\b", " ").match(/\w+/g) ?? []),
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((word) => !contextWords.includes(word))).toEqual([]);
});

it("contexts that are asked for are told by the code", () => {
  const source = readFileSync(join(root, "src/vscode/contexts.ts"), "utf8");
  const clauses = [...entries, ...keybindings, ...viewsWelcome].map(({ when = "" }) => when).concat(commands.map(({ enablement = "" }) => enablement));
  const asked = clauses.flatMap((clause) => clause.match(/sessionWarden\.\w+/g) ?? []).filter((key) => key !== "sessionWarden.sessions");
  expect(asked.filter((key) => !source.includes(`"${key}":`))).toEqual([]);
});

it("it has its icon, 128 pixels wide and high, and its history", () => {
  const { icon, version } = JSON.parse(text) as { readonly icon: string; readonly version: string };
  const png = readFileSync(join(root, icon));
  expect([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(["PNG", 128, 128]);
  expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toContain(`\n## ${version}\n`);
});

it("every command has the category and an icon of VS Code's own, or none", () => {
  for (const { category, icon } of commands) {
    expect(category).toBe("%category%");
    if (icon !== undefined) expect(icon).toMatch(/^\$\([a-z-]+\)$/);
  }
});

it("what a person reads is in package.nls.json, and nothing else is", () => {
  const used = new Set([...text.matchAll(/"%([\w.]+)%"/g)].flatMap(([, key]) => key ?? []));
  expect([...used].sort()).toEqual(Object.keys(nls).sort());
});

it("settings that name a program, a server, a socket, a file or a folder are the machine's, and not an untrusted folder's", () => {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  expect(restrictedConfigurations).toEqual(
    [
      "tmux.program",
      "tmux.sockets",
      "configHomes",
      "mux.registry",
      "mux.publishEvent",
      "opencode.servers",
      "entire.repositories",
      "tracking.env",
      "tracking.details",
    ].map((key) => `sessionWarden.${key}`),
  );
  for (const key of restrictedConfigurations) expect(configuration.properties[key]?.scope).toBe("machine");
});

it("the settings of the manifest are those of the code, with the same defaults", () => {
  const inFile = JSON.parse(settingsFileText(parseSettings({}))) as Readonly<Record<string, unknown>>;
  const inManifest = Object.fromEntries(
    Object.entries(configuration.properties).map(([key, { default: value }]) => [key.replace("sessionWarden.", ""), value]),
  );
  expect(inManifest).toEqual(inFile);
});

it("what destroys comes last in a row's menu, and is never a button on the row", () => {
  const destructive = ["sessionWarden.terminate", "sessionWarden.forget", "sessionWarden.cleanUp", "sessionWarden.purge"];
  for (const { command = "", group = "" } of menus["view/item/context"] ?? []) {
    if (destructive.includes(command)) expect(group).toMatch(/^9_destructive/);
    else expect(group).not.toMatch(/^9_destructive/);
  }
});

it("the view's title has five buttons at most", () => {
  const buttons = (menus["view/title"] ?? []).filter(({ group }) => group?.startsWith("navigation"));
  expect(new Set(buttons.map(({ group }) => group)).size).toBeLessThanOrEqual(5);
});

it("a key acts only in the view, but for the one that leads there", () => {
  for (const { command, when, args } of keybindings) {
    if (command === "sessionWarden.nextNeedsYou") continue;
    expect(when).toContain("focusedView == sessionWarden.sessions && listFocus && !inputFocus");
    expect(args).toEqual({ focused: true });
  }
});

it("the face's parts that are tested here need no editor", () => {
  const pure = readdirSync(join(import.meta.dirname, "vscode")).filter((name) => name.endsWith(".test.ts"));
  for (const name of pure) expect(readFileSync(join(root, "src/vscode", name.replace(".test", "")), "utf8")).not.toMatch(/^import (?!type).*from "vscode"/m);
});

it("the README's table of settings is the manifest's, word for word", () => {
  const rows = readFileSync(join(root, "README.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `sessionWarden."));
  const expected = Object.entries(configuration.properties).map(([key, { default: value, markdownDescription }]) => {
    const words = nls[markdownDescription.slice(1, -1)];
    return `| \`${key}\` | \`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\` | ${words} |`;
  });
  expect(rows).toEqual(expected);
});
