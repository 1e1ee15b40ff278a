/** The deliveries of one endpoint, made by the worker that has it: at most ten at a time, the oldest first, until nothing is due. */
import type { Ctx } from '../../../context.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { ISOLATED_FROM, type Isolation } from './isolation.ts';
import { type MadeTry, makeTry } from './make-try.ts';
import type { Breaker } from './retry.policy.ts';
import { type SettledTry, settleTry } from './settle-tries.ts';
import { type DueDelivery, FORGET_TRIED, LEASE_SECONDS, NOTE_TRIED } from './take-endpoints.sql.ts';
import { loadDue, type TakenEndpoint } from './take-endpoints.ts';

/** How many tries to one endpoint are under way at most (contract §7). */
const TRIES_AT_A_TIME = 10;

/** How many answers wait to be stored at most: what a worker that dies leaves is delivered once more. */
const UNSETTLED_MAX = 50;

/** How many deliveries are loaded at once, and at how few that wait the next are: they are at hand before the last is begun. */
const LOAD_SIZE = 100;
const WAITING_MIN = 30;

/** The failed try of a delivery at which the operator is told. */
const WARN_AT_TRY = 4;

/** The parts of a worker that its runs share. */
export interface WorkerParts {
  /** Names the worker in its leases. */
  readonly id: string;
  readonly isolation: Isolation;
}

/** A run over the deliveries of an endpoint that this worker has taken. The constructor begins it. */
export class EndpointRun {
  readonly beganAtMs = performance.now();
  /** Resolves when nothing is due any more, or the endpoint wants no deliveries now, and no try is under way. Never rejects. */
  readonly done: Promise<void>;
  readonly #ctx: Ctx;
  readonly #worker: WorkerParts;
  /** The uuid of the endpoint. */
  readonly #endpointId: string;
  readonly #breaker: Breaker;
  #endpoint: TakenEndpoint | null = null;
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
  #wasWoken = false;
  /** How often the endpoint was changed: what was loaded before is not what it is now. */
  #changes = 0;
  #news = Promise.withResolvers<void>();
  /** When the lease had its whole length last, by this process's clock. */
  #renewedAtMs = performance.now();

  constructor(ctx: Ctx, worker: WorkerParts, endpointId: string, breaker: Breaker) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#endpointId = endpointId;
    this.#breaker = breaker;
    this.done = this.#deliver();
  }

  /** Whether it may begin a try. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether it was woken: it may have looked for the last time just before that. */
  get wasWoken(): boolean {
    return this.#wasWoken;
  }

  /** Tells that there may be more to deliver. */
  wake(): void {
    this.#wasWoken = true;
    this.#hasMore = true;
    this.#goOn();
  }

  /** Tells that the endpoint was changed: what is not under way yet goes to it as it is now. */
  refresh(): void {
    this.#changes += 1;
    this.#waiting = [];
  }

  /** Tells that the lease was renewed just now. */
  renewed(): void {
    this.#renewedAtMs = performance.now();
  }

  /** Begins no further try. */
  stop(): void {
    this.#isOpen = false;
    this.#waiting = [];
  }

  async #deliver(): Promise<void> {
    for (;;) {
      this.#begin();
      const isWanted = this.#isOpen && this.#hasMore && this.#waiting.length < WAITING_MIN;
      if (isWanted && !this.#isLoading) void this.#load();
      if (this.#underWay.size === 0 && !this.#isLoading) return;
      await this.#news.promise;
    }
  }

  #goOn(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** Runs a step, and answers whether it succeeded. After a failure no further try begins: the next look goes on. */
  async #step(fault: string, deliveryId: string | undefined, step: () => Promise<void>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.#ctx.log.error({ err: error, deliveryId }, fault);
      this.stop();
      return false;
    }
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    await this.#step('webhook deliveries could not be loaded; the next look follows', undefined, () => this.#loadDue());
    this.#isLoading = false;
    this.#goOn();
  }

  async #loadDue(): Promise<void> {
    // A delivery that is announced from now on may be missed by this load.
    this.#hasMore = false;
    const known = [...this.#underWay, ...this.#waiting.map(due => due.id)];
    const changes = this.#changes;
    const { keys } = this.#ctx.services;
    const found = await loadDue(this.#sql(), keys, this.#worker.id, this.#endpointId, known, LOAD_SIZE);
    if (this.#changes !== changes) return;
    if (!found) return this.stop();
    this.#endpoint = found.endpoint;
    if (!this.#isOpen) return;
    this.#waiting.push(...found.due);
    if (found.due.length === LOAD_SIZE) this.#hasMore = true;
  }

  #begin(): void {
    // A process that stood still, or whose renewals failed, may have lost the endpoint without knowing.
    if (performance.now() - this.#renewedAtMs > LEASE_SECONDS * 1_000) this.stop();
    const endpoint = this.#endpoint;
    if (!endpoint) return;
    const unsettledMax = endpoint.isProbe ? 1 : UNSETTLED_MAX;
    while (this.#isOpen && this.#unanswered < TRIES_AT_A_TIME && this.#underWay.size < unsettledMax) {
      const due = this.#next();
      if (!due) return;
      this.#underWay.add(due.id);
      this.#unanswered += 1;
      void (due.deaths === 0 ? this.#try(endpoint, due) : this.#trySuspect(endpoint, due));
    }
  }

  /** The next that may be begun. Of those that are tried by themselves one takes a place, lest they take them all to wait. */
  #next(): DueDelivery | undefined {
    const place = this.#waiting.findIndex(due => due.deaths < ISOLATED_FROM || !this.#isIsolating);
    return place < 0 ? undefined : this.#waiting.splice(place, 1)[0];
  }

  /** Tries a delivery over which workers have died, so that it is known whose death the next one is. */
  async #trySuspect(endpoint: TakenEndpoint, due: DueDelivery): Promise<void> {
    const { isolation } = this.#worker;
    const isAlone = due.deaths >= ISOLATED_FROM;
    const changes = this.#changes;
    if (isAlone) this.#isIsolating = true;
    await isolation.enter(isAlone);
    const isBegun = this.#isOpen && changes === this.#changes && (await this.#note(due));
    if (isBegun) await this.#try(endpoint, due);
    else this.#giveBack(due);
    isolation.leave();
    if (isAlone) this.#isIsolating = false;
    this.#goOn();
  }

  /** Notes in the row of a suspect that this worker tries it. False where that cannot be done. */
  #note({ id }: DueDelivery): Promise<boolean> {
    return this.#step('a webhook try could not be noted; the next look follows', id, async () => {
      await NOTE_TRIED.run(this.#sql(), { worker: this.#worker.id, id: toUuid(id) });
    });
  }

  /** Gives back a delivery that is not begun after all: the next load finds it again. */
  #giveBack(due: DueDelivery): void {
    this.#underWay.delete(due.id);
    this.#unanswered -= 1;
    this.#hasMore = true;
  }

  /** Makes a try and settles it. If that fails, the delivery is tried again when the lease is over: the endpoint may get it twice. */
  async #try(endpoint: TakenEndpoint, due: DueDelivery): Promise<void> {
    const changes = this.#changes;
    await this.#step('a webhook try could not be settled; it is made again', due.id, async () => {
      const made = await makeTry(this.#ctx, endpoint, due).finally(() => {
        // The endpoint is free for the next try as soon as it has answered, while the answer is being stored.
        this.#unanswered -= 1;
        this.#goOn();
      });
      // The process ends: who takes the endpoint next makes this try.
      if (made === null) await this.#leave(due);
      else await this.#settle(endpoint, due, made, changes);
    });
    this.#underWay.delete(due.id);
    this.#goOn();
  }

  async #leave({ id, deaths }: DueDelivery): Promise<void> {
    this.stop();
    if (deaths > 0) await FORGET_TRIED.run(this.#sql(), { worker: this.#worker.id, id: toUuid(id) });
  }

  async #settle(endpoint: TakenEndpoint, due: DueDelivery, made: MadeTry, changes: number): Promise<void> {
    const hasFailed = made.error !== null;
    // A result of the endpoint before it was changed says nothing of it as it is now.
    const isFormer = changes !== this.#changes;
    const opensCircuit =
      !isFormer && (this.#breaker.count(hasFailed, performance.now()) || (hasFailed && endpoint.isProbe));
    if (opensCircuit) this.stop();
    const isAside = made.isAside || (hasFailed && isFormer);
    // If only the former one is gone, the delivery goes to the one of now at once.
    const retrySeconds = isFormer && made.httpStatus === 410 && !due.isTest ? 0 : made.retrySeconds;
    const settled = await settleTry(this.#ctx.services.database)({ ...made, isAside, retrySeconds, opensCircuit });
    if (!hasFailed && endpoint.isProbe) {
      this.#breaker.reset();
      // An endpoint like any other from now on, as it is now: its URL may have changed during the probe.
      if (this.#endpoint) this.#endpoint = { ...this.#endpoint, isProbe: false };
      this.#hasMore = true;
    }
    if (settled.endpoint !== null && settled.endpoint !== 'enabled') this.stop();
    this.#tell(due, made, settled);
  }

  #tell({ step }: DueDelivery, made: MadeTry, settled: SettledTry): void {
    const { log, services } = this.#ctx;
    const { endpointId, deliveryId, accountId, error, httpStatus } = made;
    services.metrics.webhookTries.inc({ result: error ?? 'delivered' });
    services.metrics.webhookTrySeconds.observe(made.durationMs / 1_000);
    const told = { endpointId, deliveryId, accountId, error, httpStatus };
    if (settled.isDisabledNow) log.warn(told, 'a webhook endpoint was disabled');
    else if (settled.delivery === 'dead') log.warn(told, 'a webhook delivery was given up after its last try');
    else if (error !== null && step + 1 === WARN_AT_TRY) log.warn(told, 'a webhook delivery has failed four times');
  }

  #sql() {
    return this.#ctx.services.database.prepared.sql();
  }
}
