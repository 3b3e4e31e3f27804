import { wordOf } from "../../core/process.ts";
import { followEvents } from "./events.ts";
import type { ServerEvent } from "./events.ts";
import type { Server } from "./servers.ts";

/** What servers tell by themselves: while their streams are healthy and silent, nothing has changed and nobody has to ask. */
export interface News {
  /** Follows exactly these from now on. Without anybody who listens, none. */
  follow(servers: readonly Server[]): void;
  /** True as long as this server has told of nothing since it was asked last, on a stream that is open. */
  isQuiet(server: Server): boolean;
  /** It is asked now: what it tells from here on is news. */
  asked(server: Server): void;
  /** The directories that events have shown to be open there. */
  openedBy(server: Server): ReadonlySet<string>;
  listen(onNews: () => void): Disposable;
  /** Somebody listens, and will read again. */
  isFollowed(): boolean;
}

interface Told {
  readonly server: Server;
  readonly opened: Set<string>;
  isOpen: boolean;
  isQuiet: boolean;
  stream: Disposable | undefined;
}

export function openNews(follow = followEvents): News {
  const told = new Map<string, Told>();
  const listeners = new Set<() => void>();
  const announce = (): void => {
    for (const listener of listeners) listener();
  };

  return {
    follow(servers) {
      const wanted = new Set(servers.map(keyOf));
      for (const [key, each] of told) {
        if (wanted.has(key)) continue;
        each.stream?.[Symbol.dispose]();
        told.delete(key);
      }
      for (const server of servers) {
        const each = toldBy(server);
        if (listeners.size > 0) each.stream ??= open(each);
      }
    },
    isQuiet: (server) => {
      const { isOpen, isQuiet } = toldBy(server);
      return isOpen && isQuiet;
    },
    asked: (server) => void (toldBy(server).isQuiet = true),
    isFollowed: () => listeners.size > 0,
    openedBy: (server) => toldBy(server).opened,
    listen(onNews) {
      listeners.add(onNews);
      for (const each of told.values()) each.stream ??= open(each);
      return {
        [Symbol.dispose]() {
          listeners.delete(onNews);
          if (listeners.size > 0) return;
          for (const each of told.values()) {
            each.stream?.[Symbol.dispose]();
            each.stream = undefined;
            each.isOpen = false;
          }
        },
      };
    },
  };

  function toldBy(server: Server): Told {
    const key = keyOf(server);
    const known = told.get(key) ?? { server, opened: new Set(), isOpen: false, isQuiet: false, stream: undefined };
    told.set(key, known);
    return known;
  }

  function open(each: Told): Disposable {
    const { origin, client, login } = each.server;
    return follow(
      { origin, version: client.version, login },
      {
        // What happened before it was open was told to nobody.
        onOpen: () => {
          each.isOpen = true;
          each.isQuiet = false;
          announce();
        },
        onEvent: (event) => hear(event, each),
        onClosed: () => {
          each.isOpen = false;
          announce();
        },
      },
    );
  }

  function hear({ type, directory: told }: ServerEvent, each: Told): void {
    // "global" is what an event of no directory names.
    const directory = told?.startsWith("/") ? told : undefined;
    const isNew = directory !== undefined && type !== "server.instance.disposed" && !each.opened.has(directory);
    if (isNew) each.opened.add(directory);
    if (directory !== undefined && type === "server.instance.disposed") each.opened.delete(directory);
    if (type === "global.disposed") each.opened.clear();
    if (!isNew && !changesTheList(type)) return;
    each.isQuiet = false;
    announce();
  }
}

/** The words of an answer are events too, dozens a second; what they are part of began and ends with others. */
function changesTheList(type: string): boolean {
  return /^(session\.(created|updated|deleted|status|idle|error)|permission\.|question\.|server\.instance\.disposed$|global\.disposed$|session\.next\.(prompt|step|interrupt))/.test(
    type,
  );
}

function keyOf({ origin, process, client }: Server): string {
  return `${origin} ${client.version} ${process ? wordOf(process) : ""}`;
}
