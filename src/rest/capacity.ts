/**
 * How much a process takes on at once, and who comes next. Up to a bound, requests are worked on. A burst beyond it waits for its turn; a
 * flood is refused at once, so that what was taken on keeps its speed. Callers share the bound, so a flood is felt by its caller.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** How many requests may wait for each one that is worked on: thousands that come at once are a burst, and are served. */
const WAITING_FACTOR = 64;

/** How many may wait for each one that is worked on without being a flood, however long it lasts: their turn comes soon. */
const STANDING_FACTOR = 2;

/** How many requests may wait for others (providers) for each one that is worked on. They cost memory and nothing else. */
const ABROAD_FACTOR = 48;

/**
 * When a burst is a flood: where many requests have been waiting all this time, and connections that were answered since ask for more. A
 * burst asks once on each connection.
 */
const FLOOD_AFTER_MS = 250;

/** When it is one in any case. */
const FLOOD_IN_ANY_CASE_AFTER_MS = 8_000;

/** A flood has ended when so long little had to be refused. */
const CALM_MS = 1_000;

/**
 * How many refusals of that time, for each one that is worked on, are little: as many as those callers make who would only wait
 * (`STANDING_FACTOR`), and who ask again as soon as they are told. Else they would keep up a flood that has gone.
 */
const FEW_REFUSALS_FACTOR = 50;

/** How long a caller counts as one of those who share, after the last request. */
const PRESENT_MS = 1_000;

/** While less than this part of the bound is used, nobody is asked to share it. */
const FREE_PART = 1 / 8;

/** What becomes of a request that came: exactly one of the two is called, at once or later; none where it leaves before. */
export interface Waiting {
  /** It is worked on from now on. */
  begin(): void;
  /** It is not worked on, and never was. */
  refuse(): void;
}

/** A request that came. */
export interface Place {
  /** It is over: nothing of it is worked on any more, or its caller went away while it waited. Only the first call counts. */
  leave(): void;
  /**
   * It waits for others (providers): until the function that this answers is called (once), it is no work. It may wait for several at
   * once. What is abroad is bounded too; beyond, it counts as work.
   */
  goAbroad(): () => void;
}

interface Entry {
  readonly waiting: Waiting;
  state: 'waiting' | 'begun' | 'over';
  /** How many others it waits for. */
  calls: number;
}

interface Caller {
  readonly name: string;
  /** Requests that are worked on. */
  working: number;
  /** Those of them that wait for others. */
  abroad: number;
  /** Those that wait for their turn, the oldest first. */
  queue: Entry[];
  lastSeenMs: number;
}

/** The places of a process. */
export class Capacity {
  readonly #bound: number;
  readonly #now: () => number;
  /** In the order in which they were last seen. */
  readonly #callers = new Map<string, Caller>();
  /** Those who have requests that wait, in the order of their turns. */
  readonly #turns = new Set<Caller>();
  #working = 0;
  #waiting = 0;
  #abroad = 0;
  /** Since when there has always been somebody who waits. */
  #busySinceMs = 0;
  #floodUntilMs = 0;
  /** Refusals since then, for the end of a flood. */
  #refusals = { count: 0, sinceMs: 0 };
  /** The place of the request that what runs now belongs to. */
  readonly #current = new AsyncLocalStorage<Place>();

  /** `bound` is how many requests are worked on at once, at least 1. `now` is a clock in milliseconds that never goes back. */
  constructor(bound: number, now: () => number = () => performance.now()) {
    this.#bound = bound;
    this.#now = now;
  }

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * A request comes. All that go by one name have one share; `answeredAtMs` is when its connection was last answered (by the clock of the
   * constructor), 0 where it never was.
   */
  enter(name: string, answeredAtMs: number, waiting: Waiting): Place {
    const nowMs = this.#now();
    const caller = this.#see(name, nowMs);
    const entry: Entry = { waiting, state: 'waiting', calls: 0 };
    if (caller.queue.length === 0 && this.#mayBegin(caller)) this.#begin(caller, entry);
    else if (this.#mayWait(caller, answeredAtMs, nowMs)) this.#wait(caller, entry, nowMs);
    else this.#refuse(entry, nowMs);
    return this.#placeOf(caller, entry);
  }

  /** The request that what runs now belongs to goes abroad (`Place`); what belongs to none, such as a job, has no place to give. */
  goAbroad(): () => void {
    return this.#current.getStore()?.goAbroad() ?? (() => undefined);
  }

  /** Whether a request of this caller would be refused now, in the middle of a flood; if so, it counts as refused. */
  isRefusing(name: string): boolean {
    const nowMs = this.#now();
    if (nowMs >= this.#floodUntilMs) return false;
    const caller = this.#see(name, nowMs);
    if (this.#mayBegin(caller) || this.#isWithinShare(caller, caller.queue.length)) return false;
    this.#countRefusal(nowMs);
    return true;
  }

  #placeOf(caller: Caller, entry: Entry): Place {
    return { leave: () => this.#leave(caller, entry), goAbroad: () => this.#goAbroad(caller, entry) };
  }

  #goAbroad(caller: Caller, entry: Entry): () => void {
    if (entry.state !== 'begun' || (entry.calls === 0 && this.#abroad >= this.#bound * ABROAD_FACTOR))
      return () => undefined;
    entry.calls += 1;
    if (entry.calls === 1) {
      caller.abroad += 1;
      this.#abroad += 1;
      this.#next();
    }
    return () => {
      // Who has left is not abroad any more either.
      if (entry.calls === 0) return;
      entry.calls -= 1;
      if (entry.calls === 0) this.#comeBack(caller);
    };
  }

  #comeBack(caller: Caller): void {
    caller.abroad -= 1;
    this.#abroad -= 1;
  }

  #see(name: string, nowMs: number): Caller {
    const known = this.#callers.get(name);
    const caller = known ?? { name, working: 0, abroad: 0, queue: [], lastSeenMs: nowMs };
    caller.lastSeenMs = nowMs;
    if (known) this.#callers.delete(name);
    this.#callers.set(name, caller);
    for (const oldest of this.#callers.values()) {
      if (oldest.lastSeenMs > nowMs - PRESENT_MS) break;
      this.#callers.delete(oldest.name);
      // Who still has something here is present, however long it takes.
      if (oldest.working === 0 && oldest.queue.length === 0) continue;
      oldest.lastSeenMs = nowMs;
      this.#callers.set(oldest.name, oldest);
    }
    return caller;
  }

  get #used(): number {
    return this.#working - this.#abroad;
  }

  /** Whether one more request of a caller is within its share, with so many beside those that are worked on. */
  #isWithinShare(caller: Caller, waiting: number): boolean {
    return caller.working - caller.abroad + waiting < Math.max(1, this.#bound / this.#callers.size);
  }

  #mayBegin(caller: Caller): boolean {
    if (this.#used >= this.#bound) return false;
    return this.#used < this.#bound * FREE_PART || this.#isWithinShare(caller, 0);
  }

  /** In a flood only those wait whose turn comes at once, because they have less than their share. */
  #mayWait(caller: Caller, answeredAtMs: number, nowMs: number): boolean {
    const busyMs = this.#waiting === 0 ? 0 : nowMs - this.#busySinceMs;
    const isRepeated = busyMs > FLOOD_AFTER_MS && answeredAtMs > this.#busySinceMs;
    const isLong =
      this.#waiting >= this.#bound * STANDING_FACTOR && (isRepeated || busyMs > FLOOD_IN_ANY_CASE_AFTER_MS);
    if (nowMs >= this.#floodUntilMs && (isLong || this.#waiting >= this.#bound * WAITING_FACTOR)) {
      this.#floodUntilMs = nowMs + CALM_MS;
      for (const other of this.#turns)
        if (!this.#isWithinShare(other, other.queue.length)) this.#refuseAll(other, nowMs);
    }
    return nowMs >= this.#floodUntilMs || this.#isWithinShare(caller, caller.queue.length);
  }

  #begin(caller: Caller, entry: Entry): void {
    entry.state = 'begun';
    caller.working += 1;
    this.#working += 1;
    this.#current.run(this.#placeOf(caller, entry), () => entry.waiting.begin());
  }

  #wait(caller: Caller, entry: Entry, nowMs: number): void {
    if (this.#waiting === 0) this.#busySinceMs = nowMs;
    this.#turns.add(caller);
    caller.queue.push(entry);
    this.#waiting += 1;
  }

  #refuseAll(caller: Caller, nowMs: number): void {
    const entries = caller.queue.splice(0);
    this.#turns.delete(caller);
    this.#waiting -= entries.length;
    for (const entry of entries) this.#refuse(entry, nowMs);
  }

  /** A flood goes on while much is refused. */
  #countRefusal(nowMs: number): void {
    if (nowMs - this.#refusals.sinceMs >= CALM_MS) this.#refusals = { count: 0, sinceMs: nowMs };
    this.#refusals.count += 1;
    if (this.#refusals.count > this.#bound * FEW_REFUSALS_FACTOR) this.#floodUntilMs = nowMs + CALM_MS;
  }

  #refuse(entry: Entry, nowMs: number): void {
    this.#countRefusal(nowMs);
    entry.state = 'over';
    entry.waiting.refuse();
  }

  #leave(caller: Caller, entry: Entry): void {
    if (entry.state === 'begun') {
      caller.working -= 1;
      this.#working -= 1;
      if (entry.calls > 0) this.#comeBack(caller);
      entry.calls = 0;
    } else if (entry.state === 'waiting') {
      caller.queue.splice(caller.queue.indexOf(entry), 1);
      this.#waiting -= 1;
      if (caller.queue.length === 0) this.#turns.delete(caller);
    }
    entry.state = 'over';
    this.#next();
  }

  /** Begins what may begin, a request of each caller in turn. */
  #next(): void {
    for (let passed = 0; passed < this.#turns.size && this.#used < this.#bound; passed++) {
      const [caller] = this.#turns;
      if (!caller) return;
      this.#turns.delete(caller);
      const entry = this.#mayBegin(caller) ? caller.queue.shift() : undefined;
      if (caller.queue.length > 0) this.#turns.add(caller);
      if (!entry) continue;
      passed = -1;
      this.#waiting -= 1;
      this.#begin(caller, entry);
    }
  }
}
