/** A bound on requests in work, and a queue before it that is fair between callers: who asks for too much waits, or is refused, alone. */

/** How many requests may wait for each one in work: thousands that come at once are a burst, and are all served. */
const QUEUE_FACTOR = 64;

/** A queue no longer than this, for each request in work, is no overload: its requests begin soon. */
const SHORT_QUEUE_FACTOR = 2;

/** How long an overload lasts: what would wait longer than its caller's share allows is refused. */
const SHED_MS = 5_000;

/** How long a caller keeps its share of the bound after its last request. */
const PRESENT_MS = 1_000;

/** While less than this part of the bound is used, nobody is held to a share. */
const FREE_PART = 1 / 8;

/** How many requests may wait for providers for each one in work: they cost memory and nothing else. */
const AWAY_FACTOR = 48;

/** A request that came; `away`: it waits for a provider, and is not in work. */
export interface Place {
  state: 'waiting' | 'working' | 'away' | 'over';
  readonly caller: Caller;
  readonly begin: () => void;
  readonly refuse: () => void;
}

interface Caller {
  working: number;
  readonly queue: Set<Place>;
  seenMs: number;
}

/** The requests of a process. */
export class ConcurrencyLimit {
  readonly #bound: number;
  readonly #now: () => number;
  /** Those who share the bound by name, in the order of their turns. */
  readonly #callers = new Map<string, Caller>();
  #working = 0;
  #waiting = 0;
  #away = 0;
  #queuedSinceMs = 0;
  #shedUntilMs = 0;
  #sweptMs = 0;

  /** `bound` is how many requests are in work at once, at least 1; `now` is a clock in milliseconds that never goes back. */
  constructor(bound: number, now: () => number = () => performance.now()) {
    this.#bound = bound;
    this.#now = now;
  }

  /** How many requests wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether whatever this caller asks for is refused: there is an overload, and it has its share. */
  refuses(name: string): boolean {
    if (this.#now() >= this.#shedUntilMs) return false;
    const caller = this.#see(name);
    return !this.#mayBegin(caller) && !this.#isWithinShare(caller);
  }

  /**
   * A request comes, and one of the two is called, at once or later; none where it leaves before. `answeredAtMs` is when its connection
   * was last answered, 0: never.
   */
  enter(name: string, answeredAtMs: number, begin: () => void, refuse: () => void): Place {
    const caller = this.#see(name);
    const place: Place = { state: 'waiting', caller, begin, refuse };
    const isNext = caller.queue.size === 0 && this.#mayBegin(caller);
    const isRefused = !isNext && this.#isOverload(answeredAtMs) && !this.#isWithinShare(caller);
    if (this.#waiting === 0) this.#queuedSinceMs = this.#now();
    this.#waiting += 1;
    caller.queue.add(place);
    if (isNext) this.#begin(place);
    else if (isRefused) this.#refuse(place);
    return place;
  }

  /** A request waits for a provider and gives its place to another, unless too many do. It does not come back. */
  stepAside(place: Place): void {
    if (place.state !== 'working' || this.#away >= this.#bound * AWAY_FACTOR) return;
    this.leave(place);
    place.state = 'away';
    this.#away += 1;
  }

  /** A request is over, or its caller went away while it waited. Only the first call counts. */
  leave(place: Place): void {
    const { caller, state } = place;
    place.state = 'over';
    if (state === 'away') this.#away -= 1;
    if (state === 'waiting' && caller.queue.delete(place)) this.#waiting -= 1;
    if (state !== 'working') return;
    caller.working -= 1;
    this.#working -= 1;
    for (const [name, next] of this.#callers) {
      if (this.#waiting === 0 || this.#working >= this.#bound) return;
      const [oldest] = this.#mayBegin(next) ? next.queue : [];
      if (!oldest) continue;
      // Its next turn comes after everybody else's.
      this.#callers.delete(name);
      this.#callers.set(name, next);
      this.#begin(oldest);
    }
  }

  #begin(place: Place): void {
    this.leave(place);
    place.state = 'working';
    place.caller.working += 1;
    this.#working += 1;
    place.begin();
  }

  #refuse(place: Place): void {
    this.leave(place);
    place.refuse();
  }

  #see(name: string): Caller {
    const seenMs = this.#now();
    if (seenMs - this.#sweptMs >= PRESENT_MS) {
      for (const [other, caller] of this.#callers)
        if (caller.working + caller.queue.size === 0 && seenMs - caller.seenMs >= PRESENT_MS)
          this.#callers.delete(other);
      this.#sweptMs = seenMs;
    }
    const caller = this.#callers.get(name) ?? { working: 0, queue: new Set(), seenMs };
    caller.seenMs = seenMs;
    this.#callers.set(name, caller);
    return caller;
  }

  #isWithinShare({ working, queue }: Caller, count = working + queue.size): boolean {
    return count < Math.max(1, this.#bound / this.#callers.size);
  }

  #mayBegin(caller: Caller): boolean {
    if (this.#working >= this.#bound) return false;
    return this.#working < this.#bound * FREE_PART || this.#isWithinShare(caller, caller.working);
  }

  /** A burst asks once on each connection. An overload asks again on those that were answered, before the queue has ended. */
  #isOverload(answeredAtMs: number): boolean {
    const isAgain = this.#waiting >= this.#bound * SHORT_QUEUE_FACTOR && answeredAtMs > this.#queuedSinceMs;
    if (isAgain || this.#waiting >= this.#bound * QUEUE_FACTOR) {
      this.#shedUntilMs = this.#now() + SHED_MS;
      const callers = [...this.#callers.values()].filter(caller => !this.#isWithinShare(caller));
      for (const place of callers.flatMap(({ queue }) => [...queue])) this.#refuse(place);
    }
    return this.#now() < this.#shedUntilMs;
  }
}
