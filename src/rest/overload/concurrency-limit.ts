/** A bound on requests in work, and a queue before it that is fair between callers: who asks for too much waits, or is refused, alone. */

/** How many requests may wait for each one in work: thousands that come at once are a burst, and are all served. */
const QUEUE_FACTOR = 64;

/** A queue no longer than this, for each request in work, is no overload: its requests begin soon. */
const SHORT_QUEUE_FACTOR = 2;

/** For how long an overload refuses those who want more than their share. */
const SHED_MS = 5_000;

/** How many requests may wait for providers for each one in work: they cost memory and nothing else. */
const AWAY_FACTOR = 48;

/** A request that was taken on; `away`: it waits for a provider, and is not in work. */
export interface Place {
  state: 'waiting' | 'working' | 'away' | 'over';
  readonly caller: Caller;
  readonly begin: (place: Place) => void;
}

interface Caller {
  readonly name: string;
  working: number;
  readonly queue: Set<Place>;
}

/** The requests of a process. */
export class ConcurrencyLimit {
  readonly #bound: number;
  readonly #now: () => number;
  /** Those who have requests here, in the order of their turns. */
  readonly #callers = new Map<string, Caller>();
  #working = 0;
  #waiting = 0;
  #away = 0;
  #queuedSinceMs = 0;
  #shedUntilMs = 0;

  /** `bound` is how many requests are in work at once, at least 1; `now` is a clock in milliseconds that never goes back. */
  constructor(bound: number, now: () => number = () => performance.now()) {
    this.#bound = bound;
    this.#now = now;
  }

  /** How many requests wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether this caller is refused whatever it asks for: there is an overload, and it has its share. */
  refuses(name: string): boolean {
    return this.#now() < this.#shedUntilMs && !this.#isWithinShare(this.#callerOf(name));
  }

  /** Takes a request on, and calls `begin` at once or when its turn comes; null: it is refused. `answeredAtMs` is of its connection, 0: never. */
  enter(name: string, answeredAtMs: number, begin: Place['begin']): Place | null {
    const caller = this.#callerOf(name);
    const isNext = caller.queue.size === 0 && this.#mayBegin(caller);
    if (!isNext && !this.#mayWait(caller, answeredAtMs)) return null;
    if (this.#waiting === 0) this.#queuedSinceMs = this.#now();
    const place: Place = { state: 'waiting', caller, begin };
    this.#callers.set(name, caller);
    this.#waiting += 1;
    caller.queue.add(place);
    if (isNext) this.#begin(place);
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
    if (state === 'away' || state === 'over') return;
    if (state === 'working') {
      this.#working -= 1;
      caller.working -= 1;
    } else if (caller.queue.delete(place)) this.#waiting -= 1;
    if (caller.working === 0 && caller.queue.size === 0) this.#callers.delete(caller.name);
    for (const next of this.#callers.values()) {
      if (this.#waiting === 0 || this.#working >= this.#bound) return;
      const [oldest] = this.#mayBegin(next) ? next.queue : [];
      if (!oldest) continue;
      // Its next turn comes after everybody else's.
      this.#callers.delete(next.name);
      this.#callers.set(next.name, next);
      this.#begin(oldest);
    }
  }

  #begin(place: Place): void {
    const { caller } = place;
    place.state = 'working';
    caller.queue.delete(place);
    this.#waiting -= 1;
    caller.working += 1;
    this.#working += 1;
    place.begin(place);
  }

  #callerOf(name: string): Caller {
    return this.#callers.get(name) ?? { name, working: 0, queue: new Set() };
  }

  /** Those who have requests here share the bound. */
  #isWithinShare({ name, working, queue }: Caller, count = working + queue.size): boolean {
    const sharers = this.#callers.size + (this.#callers.has(name) ? 0 : 1);
    return count < Math.max(1, this.#bound / sharers);
  }

  #mayBegin(caller: Caller): boolean {
    return this.#working < this.#bound && this.#isWithinShare(caller, caller.working);
  }

  /** A burst asks once on each connection. An overload asks again on those that were answered, before the queue has ended. */
  #mayWait(caller: Caller, answeredAtMs: number): boolean {
    const isAgain = this.#waiting >= this.#bound * SHORT_QUEUE_FACTOR && answeredAtMs > this.#queuedSinceMs;
    if (isAgain || this.#waiting >= this.#bound * QUEUE_FACTOR) this.#shedUntilMs = this.#now() + SHED_MS;
    return this.#now() >= this.#shedUntilMs || this.#isWithinShare(caller);
  }
}
