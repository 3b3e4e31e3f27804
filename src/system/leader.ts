import { hostname } from "node:os";
import { join } from "node:path";
import { tryFileLock } from "./fileLock.ts";

/** One leader a host, since several may share a home and none sees the processes of another. Tries to lead until it does; then `onElected` runs, once. Leading ends with the process, or when the returned handle is disposed. */
export function becomeLeader(stateFolder: string, onElected: () => Disposable, askAgainMs = 10_000): Disposable {
  let isDisposed = false;
  let held: AsyncDisposable | undefined;
  let led: Disposable | undefined;
  let timer: NodeJS.Timeout | undefined;

  const attempt = async (): Promise<void> => {
    const lock = await tryFileLock(join(stateFolder, `leader-${hostname()}.lock`)).catch(() => undefined);
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
