/** A last screen as books keep it: on one line, its last 500 characters. */
export function lastScreenLine(screen: string): string {
  return screen.replaceAll(/\s+/g, " ").trim().slice(-500).toWellFormed();
}
