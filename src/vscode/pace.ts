import type { Snapshot } from "../core/roster.ts";
import { facetsOf } from "../core/session.ts";

/** When the sessions are read again. */
export interface Pace extends Disposable {
  /** There may be news: read soon, once for many hints, and seldom enough that no storm of them costs much. */
  readonly hint: () => void;
  /** Something begins that shows itself only a moment later, like a program typed into a terminal. */
  readonly hintTwice: () => void;
  /** A person looks: whatever was read a moment ago. */
  readonly now: () => void;
}

export interface PaceOptions {
  readonly refresh: () => Promise<Snapshot>;
  readonly isVisible: () => boolean;
  /** Nobody looks, but this window leads, and some session's news are told by nobody. */
  readonly mustLookUnseen: () => boolean;
}

/** News come from watchers. The clock is for what no watcher tells: often enough while the view is looked at, seldom where it is hidden. */
export function createPace({ refresh, isVisible, mustLookUnseen }: PaceOptions): Pace {
  const timers = new Set<NodeJS.Timeout>();
  let soon: NodeJS.Timeout | undefined;
  let lastReadAt = 0;
  let isReading = false;
  let isHintedMeanwhile = false;

  const later = (act: () => void, afterMs: number): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, afterMs);
    timers.add(timer);
    return timer;
  };
  const read = async (): Promise<void> => {
    soon = undefined;
    isReading = true;
    const snapshot = await refresh();
    isReading = false;
    lastReadAt = Date.now();
    if (isHintedMeanwhile) hint();
    isHintedMeanwhile = false;
    // Where no process is named, gone is what two looks did not find: the second one is due.
    if (isLookedForAgain(snapshot)) later(now, secondLookMs);
  };
  const readAfter = (afterMs: number): void => {
    clearTimeout(soon);
    if (soon) timers.delete(soon);
    soon = later(() => void read(), afterMs);
  };
  const hint = (): void => {
    if (isReading) isHintedMeanwhile = true;
    else if (!soon) readAfter(Math.max(togetherMs, lastReadAt + (isVisible() ? visibleGapMs : hiddenGapMs) - Date.now()));
  };
  const now = (): void => readAfter(togetherMs);
  const clock = setInterval(() => {
    const everyMs = isVisible() ? visibleMs : mustLookUnseen() ? unseenMs : Infinity;
    if (!isReading && Date.now() - lastReadAt >= everyMs) hint();
  }, tickMs);

  return {
    hint,
    hintTwice: () => {
      hint();
      later(hint, beginsMs);
    },
    now,
    [Symbol.dispose]: () => {
      clearInterval(clock);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
const togetherMs = 100;
/** With the reading itself and the drawing, what an event tells is seen within a second of it. */
const visibleGapMs = 600;
const hiddenGapMs = 3_000;
const beginsMs = 1_500;
const secondLookMs = 1_100;
const tickMs = 1_000;
const visibleMs = 5_000;
const unseenMs = 10_000;

function isLookedForAgain({ sessions }: Snapshot): boolean {
  return sessions.flatMap(facetsOf).some(({ liveness }) => liveness.value === "unseen");
}
