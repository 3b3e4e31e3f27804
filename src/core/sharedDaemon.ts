import type { ProcessEntry } from "./census.ts";
import { nameIn } from "./processWords.ts";

/** What others of this user may share, whoever happened to start it first: by its name, or by what it says of itself. */
export function isSharedDaemon({ program, argv }: ProcessEntry): boolean {
  const [title = ""] = argv;
  const names = [nameIn(program?.file), nameIn(title)].map((name) => name.replace(/:$/, ""));
  return names.some((name) => daemons.has(name) || calledSo.test(name)) || titles.test(title) || argv.slice(1).some((word) => toldSo.test(word));
}

const daemons = new Set(
  [
    "tmux screen SCREEN zellij dtach abduco shpool mosh-server",
    "ssh-agent gpg-agent keyboxd dirmngr scdaemon sshd sshfs rclone",
    "dbus-daemon dbus-broker dconf-service gvfsd ibus-daemon fcitx5 pipewire pulseaudio wireplumber Xvfb Xorg Xvnc Xwayland",
    "dockerd containerd rootlesskit slirp4netns podman conmon buildkitd ollama syncthing",
    "postgres mysqld mariadbd mongod redis-server valkey-server memcached",
    "watchman adb sccache eslint_d prettierd chrome_crashpad_handler crashpad_handler",
  ].flatMap((names) => names.split(" ")),
);
const calledSo = /(^|[-_.])(daemon|agent)$|^(containerd-shim|screen)-/i;
/** As a program that renames itself has it: a master of ssh's connections, PM2's, Bazel's server. */
const titles = /^ssh: .* \[mux\]$|\bGod Daemon\b|^bazel\(/;
/** A word of its own, the last of a longer one, a class of Java's, or a folder of a script. */
const toldSo = /^(--?)?daemon(ize)?$|--daemon$|^[\w.]+\.\w*Daemon$|\/daemon\/.*\.[cm]?js$/;
