import { join } from "node:path";
import { tryFileLock } from "./fileLock.ts";

/** Tries to lead until it does; then `onElected` runs, once. Leading ends with the process, or when the returned handle is disposed. */
export function becomeLeader(stateFolder: string, onElected: () => Disposable): Disposable {
  const owned = new DisposableStack();
  let isDisposed = false;
  let timer: NodeJS.Timeout | undefined;

  const attempt = async (): Promise<void> => {
    const lock = await tryFileLock(join(stateFolder, "leader.lock")).catch(() => undefined);
    if (lock && !isDisposed) {
      owned.defer(() => void lock[Symbol.asyncDispose]());
      owned.use(onElected());
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
      owned.dispose();
    },
  };
}
const askAgainMs = 10_000;
