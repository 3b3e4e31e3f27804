import { join } from "node:path";
import { tryFileLock } from "./fileLock.ts";

/** Tries to lead until it does; then `onElected` runs, once. Leading ends with the process, or when the returned handle is disposed. */
export function becomeLeader(stateFolder: string, onElected: () => Disposable, askAgainMs = 10_000): Disposable {
  let isDisposed = false;
  let held: AsyncDisposable | undefined;
  let led: Disposable | undefined;
  let timer: NodeJS.Timeout | undefined;

  const attempt = async (): Promise<void> => {
    const lock = await tryFileLock(join(stateFolder, "leader.lock")).catch(() => undefined);
    if (lock && !isDisposed) {
      held = lock;
      led = onElected();
    } else if (lock) {
      await lock[Symbol.asyncDispose]();
    } else if (!isDisposed) {
      timer = setTimeout(() => void attempt(), askAgainMs).unref();
    }
  };
  void attempt();

  return {
    [Symbol.dispose]() {
      isDisposed = true;
      clearTimeout(timer);
      led?.[Symbol.dispose]();
      void held?.[Symbol.asyncDispose]();
    },
  };
}
