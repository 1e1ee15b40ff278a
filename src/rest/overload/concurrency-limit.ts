/** A bound on requests in work, and a fair queue before it: a client that asks for too much waits, or is refused, alone. */
import { InFlight } from '../../kernel/process/in-flight.ts';

/** How many requests may wait for each one in work: thousands that come at once are a burst, and are all served. */
const QUEUE_FACTOR = 64;
/** A queue no longer than this, for each request in work, is no overload: its requests begin soon. */
const SHORT_QUEUE_FACTOR = 2;
/** How many requests may wait for providers for each one in work: they cost memory and nothing else. */
const AWAY_FACTOR = 96;
/** How long an overload lasts, in milliseconds. Meanwhile a request that waits beyond its client's share is refused. */
const SHED_MS = 5_000;
/** How long a client keeps its share of the bound after its last request. */
const PRESENT_MS = 1_000;
/** While less than this part of the bound is used, nobody is held to a share. */
const FREE_PART = 1 / 8;

/** The place of a request; `away`: the request waits for a provider, and is not in work. */
export interface Place {
  state: 'waiting' | 'working' | 'away' | 'over';
  readonly client: Client;
  readonly begin: () => void;
  readonly refuse: () => void;
  /** Leaves the queue of its client. */
  leaveQueue(): void;
}

/** Names of clients that begin so are of strangers: they have one share together, since anybody can come from many addresses. */
export const STRANGER = 'address ';

interface Client {
  readonly name: string;
  readonly isStranger: boolean;
  working: number;
  readonly queue: InFlight<Place>;
  seenMs: number;
}

/** The requests of a process. */
export class ConcurrencyLimit {
  readonly #bound: number;
  readonly #now: () => number;
  /** Those who share the bound by name, in the order of their turns. */
  readonly #clients = new Map<string, Client>();
  /** How many of them are strangers. */
  #strangers = 0;
  #working = 0;
  #waiting = 0;
  #away = 0;
  /** How many are away by client, which may have no share meanwhile. */
  readonly #awayOf = new Map<string, number>();
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

  /** Whether whatever this client asks for is refused: there is an overload, and it has its share. */
  refuses(name: string): boolean {
    if (this.#now() >= this.#shedUntilMs) return false;
    const client = this.#see(name);
    return !this.#mayBegin(client) && !this.#isWithinShare(client);
  }

  /** A request comes, and one of the two is called, now or later, unless it leaves before. `answeredAtMs`: of its connection; 0: never. */
  enter(name: string, answeredAtMs: number, begin: () => void, refuse: () => void): Place {
    const client = this.#see(name);
    const place: Place = { state: 'waiting', client, begin, refuse, leaveQueue: () => undefined };
    const isNext = client.queue.size === 0 && this.#mayBegin(client);
    const isRefused = !isNext && this.#isOverload(answeredAtMs) && !this.#isWithinShare(client);
    if (this.#waiting === 0) this.#queuedSinceMs = this.#now();
    this.#waiting += 1;
    place.leaveQueue = client.queue.begin(place);
    if (isNext) this.#begin(place);
    else if (isRefused) this.#refuse([place]);
    return place;
  }

  /**
   * Gives the place of a request that waits for a provider to another one, for good. A client with as many requests away as are left
   * for all keeps its places.
   */
  stepAside(place: Place): void {
    const { name } = place.client;
    const own = this.#awayOf.get(name) ?? 0;
    if (place.state !== 'working' || own >= this.#bound * AWAY_FACTOR - this.#away) return;
    this.leave(place);
    place.state = 'away';
    this.#away += 1;
    this.#awayOf.set(name, own + 1);
  }

  /** A request is over, or its client went away while it waited. Only the first call counts. */
  leave(place: Place): void {
    const { client, state } = place;
    place.state = 'over';
    if (state === 'away') this.#endAway(client);
    if (state === 'waiting') {
      place.leaveQueue();
      this.#waiting -= 1;
    }
    if (state !== 'working') return;
    client.working -= 1;
    this.#working -= 1;
    for (const [name, next] of this.#clients) {
      if (this.#waiting === 0 || this.#working >= this.#bound) return;
      const [oldest] = this.#mayBegin(next) ? next.queue : [];
      if (!oldest) continue;
      // Its next turn comes after everybody else's.
      this.#clients.delete(name);
      this.#clients.set(name, next);
      this.#begin(oldest);
    }
  }

  #endAway({ name }: Client): void {
    this.#away -= 1;
    const left = (this.#awayOf.get(name) ?? 1) - 1;
    if (left === 0) this.#awayOf.delete(name);
    else this.#awayOf.set(name, left);
  }

  #begin(place: Place): void {
    this.leave(place);
    place.state = 'working';
    place.client.working += 1;
    this.#working += 1;
    place.begin();
  }

  #refuse(places: readonly Place[]): void {
    for (const place of places) {
      this.leave(place);
      place.refuse();
    }
  }

  #see(name: string): Client {
    const seenMs = this.#now();
    if (seenMs - this.#sweptMs >= PRESENT_MS) {
      for (const [other, { working, queue, seenMs: lastMs, isStranger }] of this.#clients) {
        if (working + queue.size > 0 || seenMs - lastMs < PRESENT_MS) continue;
        this.#clients.delete(other);
        if (isStranger) this.#strangers -= 1;
      }
      this.#sweptMs = seenMs;
    }
    const known = this.#clients.get(name);
    if (known) {
      known.seenMs = seenMs;
      return known;
    }
    const client: Client = { name, isStranger: name.startsWith(STRANGER), working: 0, queue: new InFlight(), seenMs };
    if (client.isStranger) this.#strangers += 1;
    this.#clients.set(name, client);
    return client;
  }

  #isWithinShare({ isStranger, working, queue }: Client, count = working + queue.size): boolean {
    const share = this.#bound / (this.#clients.size - this.#strangers + Math.min(this.#strangers, 1));
    return count < Math.max(1, isStranger ? share / this.#strangers : share);
  }

  #mayBegin(client: Client): boolean {
    if (this.#working >= this.#bound) return false;
    return this.#working < this.#bound * FREE_PART || this.#isWithinShare(client, client.working);
  }

  /** A burst asks once on each connection. An overload asks again on those that were answered, before the queue has ended. */
  #isOverload(answeredAtMs: number): boolean {
    const isAgain = this.#waiting >= this.#bound * SHORT_QUEUE_FACTOR && answeredAtMs > this.#queuedSinceMs;
    if (isAgain || this.#waiting >= this.#bound * QUEUE_FACTOR) {
      this.#shedUntilMs = this.#now() + SHED_MS;
      const greedy = [...this.#clients.values()].filter(client => !this.#isWithinShare(client));
      this.#refuse(greedy.flatMap(({ queue }) => [...queue]));
    }
    return this.#now() < this.#shedUntilMs;
  }
}
