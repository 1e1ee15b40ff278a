/** The places of streams of events: so many of an account, so many of all, of which the accounts with the most make room. */

/** The place of a stream. */
export interface Place {
  /**
   * Keeps the place for a stream that has begun: a refused one takes none of another account. `makeRoom` is called when another account
   * needs the place.
   * @returns false: the process is full, and the place is left
   */
  keep(makeRoom: () => void): boolean;
  /** Leaves the place; only the first call counts. */
  leave(): void;
}

/** The streams of an account. */
interface Own {
  /** How many were asked for, and are not over. */
  asked: number;
  /** The `makeRoom` of each stream that has begun, the oldest first. */
  readonly begun: Set<() => void>;
}

/** The places of a process. */
export class StreamPlaces {
  readonly #ownMax: number;
  readonly #allMax: number;
  readonly #owners = new Map<string | null, Own>();

  /** At most `ownMax` of an account, and `allMax` that have begun in all. */
  constructor(ownMax: number, allMax: number) {
    this.#ownMax = ownMax;
    this.#allMax = allMax;
  }

  /** Whether the account has as many as it may. @param owner the account; null: the operator, whose own are not bounded */
  hasAll(owner: string | null): boolean {
    return owner !== null && (this.#owners.get(owner)?.asked ?? 0) >= this.#ownMax;
  }

  /** Takes a place. @param owner as above @returns null: the account has as many as it may */
  take(owner: string | null): Place | null {
    if (this.hasAll(owner)) return null;
    const own = this.#owners.get(owner) ?? { asked: 0, begun: new Set() };
    this.#owners.set(owner, own);
    own.asked += 1;
    let isLeft = false;
    let kept: (() => void) | null = null;
    const leave = (): void => {
      if (isLeft) return;
      isLeft = true;
      own.asked -= 1;
      if (kept) own.begun.delete(kept);
      if (own.asked === 0) this.#owners.delete(owner);
    };
    return {
      keep: makeRoom => {
        if (isLeft) return true;
        if (this.#isFull() && !this.#makeRoomFor(own)) {
          leave();
          return false;
        }
        kept = makeRoom;
        own.begun.add(makeRoom);
        return true;
      },
      leave,
    };
  }

  #isFull(): boolean {
    let all = 0;
    for (const { begun } of this.#owners.values()) all += begun.size;
    return all >= this.#allMax;
  }

  /** Ends the newest stream of the account with the most, unless the newcomer's account then had more: the two would go on taking turns. */
  #makeRoomFor(newcomer: Own): boolean {
    const [most] = [...this.#owners.values()].toSorted((a, b) => b.begun.size - a.begun.size);
    if (!most || newcomer.begun.size + 1 > most.begun.size - 1) return false;
    [...most.begun].at(-1)?.();
    return true;
  }
}
