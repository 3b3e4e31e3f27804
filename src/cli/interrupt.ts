/** Aborted by Ctrl-C, so that what was done until then is told; a second one ends the program at once. */
export function abortedByInterrupt(): AbortSignal {
  const cancel = new AbortController();
  // Not `once`: that is off as it is called, and whoever runs a child for us would take the signal for unheard, and end this program by it.
  process.on("SIGINT", () => (cancel.signal.aborted ? process.exit(130) : cancel.abort()));
  return cancel.signal;
}
