/** What tmux makes of a name: `.` and `:` mean something else in a target. */
export function tmuxName(name: string): string {
  return name.replaceAll(/[.:]/g, "_");
}

/** Whether tmux keeps a name as it is, but for those two: it escapes what can't be printed, and reads `#` as the begin of a format, which may be a command. */
export function isPlainName(name: string): boolean {
  return name !== "" && !/[#\\\p{C}]/u.test(name);
}
