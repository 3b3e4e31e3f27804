import { expect, test } from "vitest";
import { isEditor } from "../../../src/core/parentage.ts";
import { isSharedDaemon } from "../../../src/core/sharedDaemon.ts";
import { anEntry, pid } from "../../support/facets.ts";

const process = (argv: readonly string[], file?: string) =>
  anEntry(pid(70), { argv, ...(file !== undefined && { program: { file, packageName: undefined, args: argv.slice(1), isScript: true } }) });

test.each([
  [["git", "credential-cache--daemon", "/home/me/.cache/git/credential/socket"]],
  [["/usr/lib/git-core/git", "fsmonitor--daemon", "run", "--detach"]],
  [["/usr/bin/gpg-agent", "--homedir", "/home/me/.gnupg", "--use-standard-socket", "--daemon"]],
  [["keyboxd", "--homedir", "/home/me/.gnupg"]],
  [["scdaemon", "--multi-server"]],
  [["ssh: /home/me/.ssh/master-1 [mux]"]],
  [["sshfs", "host:", "/mnt"]],
  [["adb", "-L", "tcp:5037", "fork-server", "server", "--reply-fd", "4"]],
  [["PM2 v5.3.0: God Daemon (/home/me/.pm2)"]],
  [["java", "-Xmx512m", "-cp", "gradle-launcher.jar", "org.gradle.launcher.daemon.bootstrap.GradleDaemon", "8.5"]],
  [["java", "-cp", "kotlin-compiler.jar", "org.jetbrains.kotlin.daemon.KotlinCompileDaemon"]],
  [["bazel(app)", "-XX:+HeapDumpOnOutOfMemoryError"]],
  [["node", "/app/node_modules/nx/src/daemon/server/start.js"]],
  [["/app/node_modules/turbo-linux-64/bin/turbo", "--skip-infer", "daemon"]],
  [["mosh-server", "new", "-s"]],
  [["dtach", "-A", "/tmp/a", "vim"]],
  [["postgres:", "checkpointer"]],
  [["/usr/lib/postgresql/16/bin/postgres", "-D", "data"]],
  [["redis-server", "*:6379"]],
  [["/usr/local/bin/ollama", "serve"]],
  [["/opt/google/chrome/chrome_crashpad_handler", "--monitor-self"]],
  [["containerd-shim-runc-v2", "-namespace", "moby"]],
  [["rootlesskit", "--state-dir", "x"]],
  [["screen-4.9.0", "-dmS", "x"]],
  [["syncthing", "serve"]],
  [["/usr/libexec/some-new-agent"]],
  [["/usr/libexec/some_daemon"]],
])("%j is for others too, whoever happened to start it", (argv) => {
  expect(isSharedDaemon(process(argv))).toBe(true);
});

test.each([
  [["sleep", "600"]],
  [["sh", "-c", "npm run dev"]],
  [["node", "/app/node_modules/.bin/vite"]],
  [["node", "/app/node_modules/http-server/bin/http-server"]],
  [["node", "/home/me/mcp-server.js"]],
  [["python3", "manage.py", "runserver"]],
  [["ssh", "-N", "-L", "8080:localhost:80", "host"]],
  [["git", "fetch", "daemon-work"]],
  [["node", "/home/me/agents/agent-runner.js"]],
])("%j is what somebody has started for himself", (argv) => {
  expect(isSharedDaemon(process(argv))).toBe(false);
});

test.each([
  [["/usr/share/code/chrome_crashpad_handler", "--monitor-self-annotation=ptype=crashpad-handler"]],
  [["/opt/Cursor/resources/helper"]],
  [["/usr/share/codium/bin/thing"]],
  [["/snap/code/170/usr/share/code/chrome_crashpad_handler"]],
  [["/Applications/Visual Studio Code.app/Contents/Frameworks/Code Helper.app/Contents/MacOS/Code Helper"]],
  [["node", "/usr/lib/code/resources/app/extensions/css/server.js"]],
  [["/usr/bin/emacs-gtk"]],
  [["java", "-Didea.paths.selector=x", "com.intellij.idea.Main"]],
])("%j is a part of an editor", (argv) => {
  expect(isEditor(process(argv, argv[0] === "node" ? argv[1] : argv[0]))).toBe(true);
});

test.each([[["/home/me/src/code/run.sh"]], [["/home/me/lib/code/run.sh"]], [["node", "/home/me/cursor/index.js"]], [["/usr/lib/codec/tool"]]])(
  "%j is none",
  (argv) => {
    expect(isEditor(process(argv, argv[0] === "node" ? argv[1] : argv[0]))).toBe(false);
  },
);
