/** Takes a stream of server-sent events as it comes, cut anywhere, and gives what each finished event carries. */
export interface EventFrames {
  readonly take: (chunk: string) => readonly string[];
  /** Characters of an event that is not finished. */
  readonly held: () => number;
}

export function eventFrames(): EventFrames {
  let line = "";
  let carried: string[] = [];
  let carriedLength = 0;
  let endedInReturn = false;

  function finishLine(): string | undefined {
    const finished = line;
    line = "";
    if (finished === "") {
      const frame = carried.length > 0 ? carried.join("\n") : undefined;
      carried = [];
      carriedLength = 0;
      return frame;
    }
    // Of the other fields OpenCode sends none; a line that begins with a colon is a comment.
    if (!finished.startsWith("data:")) return undefined;
    carried.push(finished.slice(finished.startsWith("data: ") ? 6 : 5));
    carriedLength += finished.length;
    return undefined;
  }

  return {
    take: (chunk) => {
      if (chunk === "") return [];
      // The second half of a line's end that was cut in two.
      const text = endedInReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
      endedInReturn = chunk.endsWith("\r");
      const frames: string[] = [];
      const [first = "", ...rest] = text.split(/\r\n|\n|\r/);
      line += first;
      for (const next of rest) {
        const frame = finishLine();
        if (frame !== undefined) frames.push(frame);
        line = next;
      }
      return frames;
    },
    held: () => line.length + carriedLength,
  };
}
