/** The deliveries of one endpoint, made by the worker that has it: at most ten at a time, the oldest first, until nothing is due. */
import type { Ctx } from '../../../context.ts';
import type { DatabaseClock } from '../../../db/clock.ts';
import { type MadeTry, makeTry } from './make-try.ts';
import type { Breaker } from './retry.policy.ts';
import { type SettledTry, settleTry, type TryItem } from './settle-tries.ts';
import { forgetTried, ISOLATED_FROM, type Isolation, noteTried } from './suspects.ts';
import { type DueDelivery, LEASE_SECONDS, loadDue, type TakenEndpoint } from './take-endpoints.ts';

/** How many tries to one endpoint are under way at most (contract §7). */
const TRIES_AT_A_TIME = 10;

/** How many answers wait to be stored at most: what a worker that dies leaves is delivered once more. */
const UNSETTLED_MAX = 50;

/** How many deliveries are loaded at once, and at how few that wait the next are: they are at hand before the last is begun. */
const LOAD_SIZE = 100;
const WAITING_MIN = 30;

/** The failed try of a delivery at which the operator is told. */
const WARN_AT_TRY = 4;

/** The run over one endpoint. */
export interface EndpointRun {
  /** Tells that there may be more to deliver. */
  wake(): void;
  /** Tells that the endpoint was changed: what is not under way yet goes to it as it is now. */
  refresh(): void;
  /** Tells that the lease was renewed just now, and what time it is. */
  renewed(clock: DatabaseClock): void;
  /** Begins no further try. */
  stop(): void;
  /** Whether it may begin a try. */
  isOpen(): boolean;
  /** Resolves when nothing is due any more, or the endpoint wants no deliveries now, and no try is under way. */
  readonly done: Promise<void>;
}

/** What the runs of a worker share. */
export interface WorkerParts {
  /** Names the worker in its leases. */
  readonly id: string;
  readonly isolation: Isolation;
}

/** Delivers what is due to an endpoint that this worker has taken. */
export function deliverEndpoint(ctx: Ctx, worker: WorkerParts, endpointId: string, breaker: Breaker): EndpointRun {
  const run = new Run(ctx, worker, endpointId, breaker);
  return {
    wake: () => run.wake(),
    refresh: () => run.refresh(),
    renewed: clock => run.renewed(clock),
    stop: () => run.stop(),
    isOpen: () => run.isOpen,
    done: run.deliver(),
  };
}

class Run {
  readonly #ctx: Ctx;
  readonly #worker: WorkerParts;
  readonly #endpointId: string;
  readonly #breaker: Breaker;
  #endpoint: TakenEndpoint | null = null;
  #clock: DatabaseClock | null = null;
  /** Loaded and not begun. */
  #waiting: DueDelivery[] = [];
  /** Begun and not settled. */
  readonly #underWay = new Set<string>();
  /** Begun and not answered. */
  #unanswered = 0;
  /** Whether a delivery that is tried by itself is begun. */
  #isIsolating = false;
  #isLoading = false;
  /** Whether there may be more than was loaded. */
  #hasMore = true;
  #isOpen = true;
  /** How often the endpoint was changed: what was loaded before is not what it is now. */
  #changes = 0;
  #woken = Promise.withResolvers<void>();
  /** When the lease had its whole length last, by this process's clock. */
  #renewedAtMs = performance.now();

  constructor(ctx: Ctx, worker: WorkerParts, endpointId: string, breaker: Breaker) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#endpointId = endpointId;
    this.#breaker = breaker;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  wake(): void {
    this.#hasMore = true;
    this.#goOn();
  }

  #goOn(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }

  refresh(): void {
    this.#changes += 1;
    this.#waiting = [];
    this.wake();
  }

  renewed(clock: DatabaseClock): void {
    this.#clock = clock;
    this.#renewedAtMs = performance.now();
  }

  stop(): void {
    this.#isOpen = false;
    this.#waiting = [];
  }

  async deliver(): Promise<void> {
    for (;;) {
      this.#begin();
      const isWanted = this.#isOpen && this.#hasMore && this.#waiting.length < WAITING_MIN;
      if (isWanted && !this.#isLoading) void this.#load();
      if (this.#underWay.size === 0 && !this.#isLoading) return;
      await this.#woken.promise;
    }
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      await this.#loadDue();
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'webhook deliveries could not be loaded; the next look follows');
      this.stop();
    }
    this.#isLoading = false;
    this.#goOn();
  }

  async #loadDue(): Promise<void> {
    // What is announced from now on may be missed by this load.
    this.#hasMore = false;
    const known = [...this.#underWay, ...this.#waiting.map(due => due.id)];
    const changes = this.#changes;
    const { database, keys } = this.#ctx.services;
    const found = await loadDue(database.prepared.sql(), keys, this.#worker.id, this.#endpointId, known, LOAD_SIZE);
    if (this.#changes !== changes) return;
    if (!found) return this.stop();
    this.#endpoint = found.endpoint;
    this.#clock = found.clock;
    if (!this.#isOpen) return;
    this.#waiting.push(...found.due);
    if (found.due.length === LOAD_SIZE) this.#hasMore = true;
  }

  #begin(): void {
    // A process that stood still, or whose renewals failed, may have lost the endpoint without knowing.
    if (performance.now() - this.#renewedAtMs > LEASE_SECONDS * 1_000) this.stop();
    const [endpoint, clock] = [this.#endpoint, this.#clock];
    if (!endpoint || !clock) return;
    const unsettledMax = endpoint.isProbe ? 1 : UNSETTLED_MAX;
    while (this.#isOpen && this.#unanswered < TRIES_AT_A_TIME && this.#underWay.size < unsettledMax) {
      const due = this.#next();
      if (!due) return;
      this.#underWay.add(due.id);
      this.#unanswered += 1;
      void (due.deaths === 0 ? this.#try(endpoint, due, clock) : this.#trySuspect(endpoint, due, clock));
    }
  }

  /** The next that may be begun. Of those that are tried by themselves one takes a place, lest they take them all to wait. */
  #next(): DueDelivery | undefined {
    const place = this.#waiting.findIndex(due => due.deaths < ISOLATED_FROM || !this.#isIsolating);
    return place < 0 ? undefined : this.#waiting.splice(place, 1)[0];
  }

  /** Tries a delivery over which workers have died, so that it is known whose death the next one is. */
  async #trySuspect(endpoint: TakenEndpoint, due: DueDelivery, clock: DatabaseClock): Promise<void> {
    const { isolation } = this.#worker;
    const isAlone = due.deaths >= ISOLATED_FROM;
    const changes = this.#changes;
    if (isAlone) this.#isIsolating = true;
    await isolation.enter(isAlone);
    const isBegun = this.#isOpen && changes === this.#changes && (await this.#note(due));
    if (isBegun) await this.#try(endpoint, due, clock);
    else this.#giveBack(due);
    isolation.leave();
    if (isAlone) this.#isIsolating = false;
    this.#goOn();
  }

  /** Notes in the row of a suspect that this worker tries it. False where that cannot be done. */
  async #note(due: DueDelivery): Promise<boolean> {
    try {
      await noteTried(this.#ctx.services.database.prepared.sql(), this.#worker.id, due.id);
      return true;
    } catch (error) {
      const { log } = this.#ctx;
      log.error({ err: error, deliveryId: due.id }, 'a webhook try could not be noted; the next look follows');
      this.stop();
      return false;
    }
  }

  /** Not begun after all: it is loaded again by the next load. */
  #giveBack(due: DueDelivery): void {
    this.#underWay.delete(due.id);
    this.#unanswered -= 1;
    this.#hasMore = true;
  }

  /** Makes a try and settles it. What cannot be settled is tried again when the lease is over: the endpoint may get it twice. */
  async #try(endpoint: TakenEndpoint, due: DueDelivery, clock: DatabaseClock): Promise<void> {
    try {
      const changes = this.#changes;
      const made = await this.#make(endpoint, due, clock);
      // The process ends: who takes the endpoint next makes this try.
      if (made === null) await this.#leave(due);
      else await this.#settle(endpoint, due, made, changes);
    } catch (error) {
      this.#ctx.log.error({ err: error, deliveryId: due.id }, 'a webhook try could not be settled; it is made again');
      this.stop();
    }
    this.#underWay.delete(due.id);
    this.#goOn();
  }

  async #leave(due: DueDelivery): Promise<void> {
    this.stop();
    if (due.deaths > 0) await forgetTried(this.#ctx.services.database.prepared.sql(), this.#worker.id, due.id);
  }

  async #settle(endpoint: TakenEndpoint, due: DueDelivery, made: MadeTry, changes: number): Promise<void> {
    // What the endpoint was before it was changed says nothing of what it is.
    const opensCircuit = changes === this.#changes && this.#countsAsOpening(endpoint, made.error !== null);
    if (opensCircuit) this.stop();
    const item: TryItem = { ...made, opensCircuit };
    const settled = await settleTry(this.#ctx.services.database)(item);
    this.#follow(endpoint, due, item, settled);
  }

  /** The endpoint is free for the next as soon as it has answered, while what it said is being stored. */
  async #make(endpoint: TakenEndpoint, due: DueDelivery, clock: DatabaseClock): Promise<MadeTry | null> {
    try {
      return await makeTry(this.#ctx, endpoint, due, clock);
    } finally {
      this.#unanswered -= 1;
      this.#goOn();
    }
  }

  #countsAsOpening({ isProbe }: TakenEndpoint, hasFailed: boolean): boolean {
    return this.#breaker.count(hasFailed, this.#ctx.clock.now()) || (hasFailed && isProbe);
  }

  #follow(endpoint: TakenEndpoint, { step }: DueDelivery, item: TryItem, settled: SettledTry): void {
    const { log, services } = this.#ctx;
    const { endpointId, deliveryId, error } = item;
    services.metrics.webhookTries.inc({ result: error ?? 'delivered' });
    services.metrics.webhookTrySeconds.observe(item.durationMs / 1_000);
    if (error === null && endpoint.isProbe) {
      this.#breaker.reset();
      // Loaded again, it is an endpoint like any other.
      this.#endpoint = { ...endpoint, isProbe: false };
      this.#hasMore = true;
    }
    if (settled.endpoint !== null && settled.endpoint !== 'enabled') this.stop();
    const told = { endpointId, deliveryId, accountId: item.accountId, error, httpStatus: item.httpStatus };
    if (settled.isDisabledNow) log.warn(told, 'a webhook endpoint was disabled');
    else if (settled.delivery === 'dead') log.warn(told, 'a webhook delivery was given up after its last try');
    else if (error !== null && step + 1 === WARN_AT_TRY) log.warn(told, 'a webhook delivery has failed four times');
  }
}
