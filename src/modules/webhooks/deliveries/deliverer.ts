/** The webhooks of a worker: it takes endpoints with deliveries whose time has come, and delivers to them until it is stopped. */
import { randomUUID } from 'node:crypto';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Ctx } from '../../../context.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { resealSecrets } from '../endpoints/endpoint-secrets.ts';
import { CHANGED, RENEWED, WEBHOOK_CHANNEL } from '../events/announce-webhooks.ts';
import { EndpointRun, type WorkerParts } from './endpoint-run.ts';
import { Isolation } from './isolation.ts';
import { Breaker } from './retry.policy.ts';
import { RELEASE_ENDPOINTS, RENEW_LEASES, TAKE_ENDPOINTS } from './take-endpoints.sql.ts';
import { findDueEndpoints } from './take-endpoints.ts';

/** How often a worker looks for deliveries whose time has come; new ones wake it at once. */
const LOOK_INTERVAL_MS = 1_000;

/** A quarter of the lease, so that renewals may be lost. */
const RENEW_INTERVAL_MS = 2_000;

/** How a worker shares itself among endpoints. */
interface Share {
  /** How many it delivers to at a time, with ten tries each at most. */
  readonly endpoints: number;
  /** How long an endpoint keeps its place while others wait for one, in milliseconds. */
  readonly turnMs: number;
}

const SHARE: Share = { endpoints: 500, turnMs: 5_000 };

/** How long a stop waits for tries under way. Those that are left are made again, by whoever takes the endpoint next. */
const STOP_MS = 5_000;

/** How many breakers are remembered. */
const BREAKERS_MAX = 10_000;

/** Webhooks that are being delivered, until they are stopped. */
export type Webhooks = Pick<Deliverer, 'stop'>;

/** Starts to deliver. @throws the error of the database when it cannot be listened on. */
export async function startWebhooks(ctx: Ctx, share = SHARE): Promise<Webhooks> {
  const deliverer = new Deliverer(ctx, share);
  await deliverer.start();
  return { stop: () => deliverer.stop() };
}

/** Takes endpoints, which go by their uuids here, and runs their deliveries. */
class Deliverer {
  readonly #ctx: Ctx;
  readonly #share: Share;
  readonly #worker: WorkerParts = { id: randomUUID(), isolation: new Isolation() };
  /** The endpoints that are delivered to, the one that has its place longest first. */
  readonly #runs = new Map<string, EndpointRun>();
  readonly #breakers = new Map<string, Breaker>();
  /** Endpoints to be taken, in the order in which they were asked for. */
  readonly #asked = new Set<string>();
  #taking: Promise<void> | null = null;
  #position: string | null = null;
  #unlisten: () => Promise<void> = async () => undefined;
  readonly #stopping = new AbortController();

  constructor(ctx: Ctx, share: Share) {
    this.#ctx = ctx;
    this.#share = share;
  }

  /** Begins to deliver; as `startWebhooks`. */
  async start(): Promise<void> {
    const { database } = this.#ctx.services;
    this.#unlisten = await database.listen(
      WEBHOOK_CHANNEL,
      payload => this.#hear(payload),
      // The next look finds what was missed.
      () => undefined,
    );
    await this.#quietly(() => resealSecrets(this.#ctx));
    void this.#repeat(LOOK_INTERVAL_MS, () => this.#look());
    void this.#repeat(RENEW_INTERVAL_MS, () => this.#renew());
  }

  /** Begins no further try, waits for those under way, and gives the endpoints back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#unlisten();
    await this.#taking;
    for (const run of this.#runs.values()) run.stop();
    const done = Promise.allSettled([...this.#runs.values()].map(run => run.done));
    await Promise.race([done, setTimeoutPromise(STOP_MS, null, { ref: false })]);
    await this.#quietly(() => RELEASE_ENDPOINTS.run(this.#sql(), { worker: this.#worker.id }));
  }

  #sql() {
    return this.#ctx.services.database.prepared.sql();
  }

  #hear(payload: string): void {
    const news = [CHANGED, RENEWED].find(word => payload.startsWith(word)) ?? '';
    const endpointId = payload.slice(news.length);
    // Whoever may write to the database may notify, so a payload may be no id.
    if (!isUuid(endpointId)) return;
    if (news === RENEWED) this.#breakers.get(endpointId)?.reset();
    if (news !== '') this.#runs.get(endpointId)?.refresh();
    this.#ask([endpointId]);
  }

  /** Has endpoints delivered to: wakes the runs that are under way, and takes the other endpoints, many in one statement. */
  #ask(endpointIds: readonly string[]): void {
    if (this.#stopping.signal.aborted) return;
    for (const id of endpointIds) {
      const run = this.#runs.get(id);
      if (run) run.wake();
      else this.#asked.add(id);
    }
    if (this.#asked.size > 0) this.#taking ??= this.#take();
  }

  async #take(): Promise<void> {
    await this.#quietly(async () => {
      while (this.#asked.size > 0 && !this.#stopping.signal.aborted) {
        const ids = [...this.#asked].slice(0, Math.max(this.#room(), 0));
        if (ids.length === 0) {
          if (this.#makeRoom()) continue;
          return;
        }
        for (const id of ids) this.#asked.delete(id);
        const taken = await TAKE_ENDPOINTS.first(this.#sql(), { worker: this.#worker.id, ids });
        for (const delivery of taken?.quarantined ?? []) {
          this.#ctx.services.metrics.webhookQuarantined.inc();
          this.#ctx.log.error(delivery, 'a webhook delivery was quarantined: three workers died over it');
        }
        for (const id of taken?.ids ?? []) this.#run(id);
      }
    });
    this.#taking = null;
  }

  /** One that begins no further try has no place any more, however long the endpoint holds those under way. */
  #room(): number {
    let open = 0;
    for (const run of this.#runs.values()) if (run.isOpen) open += 1;
    return this.#share.endpoints - open;
  }

  /** Ends turns that lasted long enough, so that a backlog keeps nobody waiting; they are asked for again. Answers whether there is room now. */
  #makeRoom(): boolean {
    let wanted = this.#asked.size;
    for (const run of this.#runs.values()) {
      if (wanted === 0 || performance.now() - run.beganAtMs < this.#share.turnMs) break;
      if (!run.isOpen) continue;
      run.wake();
      run.stop();
      wanted -= 1;
    }
    return this.#room() > 0;
  }

  #run(endpointId: string): void {
    if (this.#runs.has(endpointId)) return;
    const run = new EndpointRun(this.#ctx, this.#worker, endpointId, this.#breakerOf(endpointId));
    this.#runs.set(endpointId, run);
    // A run logs what goes wrong in it; whatever it may miss must not keep its place.
    const ended = (): void => {
      this.#runs.delete(endpointId);
      // Others may wait for its place.
      this.#ask(run.wasWoken ? [endpointId] : []);
    };
    run.done.then(ended, ended);
  }

  #breakerOf(endpointId: string): Breaker {
    const breaker = this.#breakers.get(endpointId) ?? new Breaker();
    // The one that was used last comes last.
    this.#breakers.delete(endpointId);
    this.#breakers.set(endpointId, breaker);
    const [oldest] = this.#breakers.keys();
    if (this.#breakers.size > BREAKERS_MAX && oldest !== undefined) this.#breakers.delete(oldest);
    return breaker;
  }

  async #look(): Promise<void> {
    const { endpoints, next } = await findDueEndpoints(this.#sql(), this.#position);
    this.#position = next;
    this.#ask(endpoints);
  }

  /** An endpoint that another worker has meanwhile is left to it. */
  async #renew(): Promise<void> {
    const ids = [...this.#runs.keys()];
    if (ids.length === 0) return;
    const kept = await RENEW_LEASES.run(this.#sql(), { worker: this.#worker.id, ids });
    const keptIds = new Set(kept.map(({ id }) => id));
    for (const id of ids) {
      const run = this.#runs.get(id);
      if (keptIds.has(id)) run?.renewed();
      else run?.stop();
    }
  }

  /** Does something until it is stopped, with a pause after each time. */
  async #repeat(pauseMs: number, act: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#quietly(act);
      await setTimeoutPromise(pauseMs, null, { ref: false, signal }).catch(() => undefined);
    }
  }

  /** Runs a step and logs its error: the next look does it again. */
  async #quietly(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'webhooks could not be looked after; the next look follows');
    }
  }
}
