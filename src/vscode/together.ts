/** Disposed of as one, last first. The built-in `DisposableStack` is missing in the Node of VS Code 1.101's server. */
export function together(...all: readonly Disposable[]): Disposable {
  return {
    [Symbol.dispose]: () => {
      for (const one of all.toReversed()) one[Symbol.dispose]();
    },
  };
}

export function onDispose(act: () => void): Disposable {
  return { [Symbol.dispose]: act };
}
