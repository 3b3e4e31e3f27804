import { watch } from "../../system/watch.ts";

/** Watches the folders that it was told of last: a folder may become a repository while somebody watches. */
export function followFolders(onChange: () => void): { readonly follow: (paths: readonly string[]) => void; readonly stop: () => void } {
  const watchers = new Map<string, Disposable>();
  let isStopped = false;

  return {
    follow(paths) {
      if (isStopped) return;
      for (const path of paths) if (!watchers.has(path)) watchers.set(path, watch([path], onChange));
      for (const path of watchers.keys()) if (!paths.includes(path)) drop(path);
    },
    stop() {
      isStopped = true;
      for (const path of watchers.keys()) drop(path);
    },
  };

  function drop(path: string): void {
    watchers.get(path)?.[Symbol.dispose]();
    watchers.delete(path);
  }
}
