import type { Snapshot } from "../core/roster.ts";
import type { Session } from "../core/session.ts";
import type { Warden } from "../core/warden.ts";
import { onDispose, together } from "./together.ts";

/** The warden of the moment: new settings make a new one, and whoever looks through here need not know. */
export class Lookout implements Disposable {
  #warden: Warden;
  #duties = together();
  readonly #onDidChange = new Set<(snapshot: Snapshot) => void>();
  readonly #onFailure: (error: unknown) => void;
  readonly #dutiesOf: (warden: Warden) => Disposable;

  /** `dutiesOf` begins what goes on for as long as a warden stands: watching, leading. */
  constructor(warden: Warden, dutiesOf: (warden: Warden) => Disposable, onFailure: (error: unknown) => void) {
    this.#warden = warden;
    this.#dutiesOf = dutiesOf;
    this.#onFailure = onFailure;
  }

  get warden(): Warden {
    return this.#warden;
  }

  get snapshot(): Snapshot {
    return this.#warden.roster.snapshot;
  }

  begin(): void {
    const telling = this.#warden.roster.onDidChange((snapshot) => this.#tell(snapshot));
    this.#duties = together(telling, this.#dutiesOf(this.#warden));
  }

  replace(warden: Warden): void {
    this[Symbol.dispose]();
    this.#warden = warden;
    this.#duties = together();
    this.begin();
  }

  /** Never rejects: a reading that failed leaves what was known, and is in the log. */
  async refresh(signal: AbortSignal = AbortSignal.timeout(readWithinMs)): Promise<Snapshot> {
    try {
      return await this.#warden.roster.refresh(signal);
    } catch (error) {
      this.#onFailure(error);
      return this.snapshot;
    }
  }

  /** As it is by now. Undefined where it is no longer in the list. */
  find(key: string): Session | undefined {
    return this.snapshot.sessions.find((session) => session.key === key);
  }

  onDidChange(listener: (snapshot: Snapshot) => void): Disposable {
    this.#onDidChange.add(listener);
    return onDispose(() => this.#onDidChange.delete(listener));
  }

  [Symbol.dispose](): void {
    this.#duties[Symbol.dispose]();
    this.#warden[Symbol.dispose]();
  }

  #tell(snapshot: Snapshot): void {
    for (const listener of this.#onDidChange) listener(snapshot);
  }
}
const readWithinMs = 30_000;
