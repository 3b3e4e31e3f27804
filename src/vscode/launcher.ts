const mark = "# Written by Session Warden's command Install Command Line Tool.";

/** Runs the command line on the editor's own Node with the editor's own locks and books, and says what to do when an update has moved it. */
export function launcherText(node: string, cli: string, stateFolder: string): string {
  return `#!/bin/sh
${mark}
node=${quoted(node)}
cli=${quoted(cli)}
if [ ! -x "$node" ] || [ ! -f "$cli" ]; then
  echo "Session Warden is no longer where it was. Run its command Install Command Line Tool again." >&2
  exit 1
fi
ELECTRON_RUN_AS_NODE=1 SESSION_WARDEN_STATE_FOLDER=${quoted(stateFolder)} exec "$node" "$cli" "$@"
`;
}

export function isOurLauncher(text: string): boolean {
  return text.includes(mark);
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
