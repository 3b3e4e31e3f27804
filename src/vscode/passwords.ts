import type { SecretStorage } from "vscode";

export interface Password {
  readonly user: string;
  readonly password: string;
}

/** Passwords of servers, each of exactly one origin: scheme, host and port. */
export interface Passwords {
  /** Undefined where none is kept for that very origin, and for what is no origin at all. */
  passwordOf(origin: string): Promise<Password | undefined>;
  /** Entered in this window: a person meant whoever listens there. Else a password goes only to what is recognised. */
  isMeantFor(origin: string): boolean;
  keep(origin: string, password: Password): Promise<void>;
  forget(origin: string): Promise<void>;
  /** Those that have one. */
  origins(): Promise<readonly string[]>;
}

/** Kept where the editor keeps secrets: no file of ours, no setting, and no command line ever holds one. */
export function passwordsIn(secrets: Pick<SecretStorage, "get" | "store" | "delete">): Passwords {
  const origins = async (): Promise<readonly string[]> => {
    const listed = parse(await secrets.get(listKey));
    return Array.isArray(listed) ? listed.filter((one): one is string => typeof one === "string") : [];
  };
  const list = async (change: (listed: readonly string[]) => readonly string[]): Promise<void> =>
    secrets.store(listKey, JSON.stringify(change(await origins())));

  const entered = new Set<string>();
  return {
    origins,
    isMeantFor: (asked) => entered.has(findOrigin(asked) ?? ""),
    async passwordOf(asked) {
      const origin = findOrigin(asked);
      const kept = origin === undefined ? undefined : parse(await secrets.get(keyOf(origin)));
      return isPassword(kept) ? { user: kept.user, password: kept.password } : undefined;
    },
    async keep(asked, { user, password }) {
      const origin = findOrigin(asked);
      if (origin === undefined) throw new Error(`${asked} is no address of a server`);
      await secrets.store(keyOf(origin), JSON.stringify({ user, password }));
      entered.add(origin);
      await list((listed) => [...listed.filter((other) => other !== origin), origin].sort());
    },
    async forget(asked) {
      const origin = findOrigin(asked);
      if (origin === undefined) return;
      entered.delete(origin);
      await secrets.delete(keyOf(origin));
      await list((listed) => listed.filter((other) => other !== origin));
    },
  };
}

const keyOf = (origin: string): string => `opencode ${origin}`;
/** The storage can't be asked what it holds. */
const listKey = "opencode";

function findOrigin(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, protocol } = new URL(address);
  return protocol === "http:" || protocol === "https:" ? origin : undefined;
}

function isPassword(value: unknown): value is Password {
  return (
    typeof value === "object" &&
    value !== null &&
    "user" in value &&
    "password" in value &&
    typeof value.user === "string" &&
    typeof value.password === "string"
  );
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
