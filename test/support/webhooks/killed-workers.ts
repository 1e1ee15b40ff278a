/** Worker processes that are killed again and again while deliveries come at a steady rate, and what came of it. */
import { setInterval, setTimeout } from 'node:timers/promises';
import { toUuid } from '../../../src/kernel/ids.ts';
import { type Gateway, startGateway } from '../processes/gateway.ts';
import type { TestServices } from '../services.ts';
import type { Received } from './receiver.ts';
import { queueDeliveries, type TestEndpoint } from './stored-webhooks.ts';

/** How long it goes on, and how long after each kill the next one follows, at least and at most. */
export interface ChaosPlan {
  readonly durationMs: number;
  readonly killAfterMs: readonly [number, number];
}

/** The life of a worker process. Times by the clock of this machine, ISO 8601. */
export interface Life {
  /** The name of its database connections, another one for each process. */
  readonly worker: string;
  /** When it was up. */
  readonly born: string;
  /** When it was killed; null: it was not. */
  died: string | null;
}

/** Worker processes of which one is killed from time to time, and another one started in its place. */
export interface MortalWorkers {
  /** Kills until the time is over; answers the lives of all of them. @throws Error where a worker does not come up */
  run(plan: ChaosPlan): Promise<readonly Life[]>;
  /** Ends them as a deployment does. */
  stop(): Promise<void>;
}

/** Has the database keep which worker took which endpoint, and when. */
async function noteOwners({ sql }: Pick<TestServices, 'sql'>): Promise<void> {
  await sql('create table owners (endpoint_id uuid not null, worker text not null, at timestamptz not null)');
  await sql(
    `create function note_owner() returns trigger language plpgsql as $$ begin
       insert into owners values (new.id, current_setting('application_name'), clock_timestamp());
       return null;
     end $$`,
  );
  await sql(
    `create trigger note_owner after update on webhook_endpoints for each row
     when (new.lease_by is distinct from old.lease_by and new.lease_by is not null) execute function note_owner()`,
  );
}

/** Starts workers, each in a process of its own. */
export async function startMortalWorkers(
  t: TestServices,
  databaseUrl: string,
  count: number,
  env: Readonly<Record<string, string>>,
): Promise<MortalWorkers> {
  await noteOwners(t);
  let started = 0;
  const lives: Life[] = [];
  const start = async (): Promise<{ life: Life; gateway: Gateway }> => {
    const worker = `worker-${++started}`;
    // The driver names its connections by it.
    const gateway = await startGateway({ databaseUrl, env: { ...env, ROLE: 'worker', PGAPPNAME: worker } });
    const life: Life = { worker, born: new Date().toISOString(), died: null };
    lives.push(life);
    return { life, gateway };
  };
  const workers = Array.from({ length: count }, start);
  await Promise.all(workers);
  return {
    async run({ durationMs, killAfterMs: [least, most] }) {
      const endsAtMs = performance.now() + durationMs;
      let deaths = 0;
      for (;;) {
        const waitMs = least + Math.random() * (most - least);
        if (performance.now() + waitMs > endsAtMs) break;
        await setTimeout(waitMs);
        // Each once, so that whoever has the endpoints is among them; then any.
        const place = deaths < workers.length ? deaths : Math.floor(Math.random() * workers.length);
        const victim = await workers[place];
        if (!victim) throw new Error('there is no worker to kill');
        deaths += 1;
        victim.life.died = new Date().toISOString();
        victim.gateway.kill('SIGKILL');
        await victim.gateway.exited;
        const next = start();
        // Whoever awaits it is told; nobody may before it has failed.
        next.catch(() => undefined);
        workers[place] = next;
      }
      await setTimeout(Math.max(0, endsAtMs - performance.now()));
      return lives;
    },
    async stop() {
      const running = await Promise.all(workers);
      for (const { gateway } of running) gateway.kill('SIGTERM');
      await Promise.all(running.map(({ gateway }) => gateway.exited));
    },
  };
}

/** How often deliveries are queued. */
const BEAT_MS = 100;

/** Queues deliveries at a steady rate, to one endpoint after the other. Answers when each was queued, by its id. */
export async function queueSteadily(
  t: TestServices,
  accountId: string,
  endpoints: readonly TestEndpoint[],
  { perSecond, durationMs }: { readonly perSecond: number; readonly durationMs: number },
): Promise<Map<string, number>> {
  const queuedAtMs = new Map<string, number>();
  const startedMs = performance.now();
  const wanted = Math.round((perSecond * durationMs) / 1_000);
  let turn = 0;
  for await (const _beat of setInterval(BEAT_MS)) {
    // By the time that has passed: a beat may come late.
    const due = Math.min(wanted, Math.floor((perSecond * (performance.now() - startedMs)) / 1_000));
    const endpoint = endpoints[turn++ % endpoints.length];
    const atMs = performance.now();
    if (!endpoint || due === queuedAtMs.size) continue;
    for (const id of await queueDeliveries(t, accountId, endpoint.endpointId, due - queuedAtMs.size))
      queuedAtMs.set(id, atMs);
    if (queuedAtMs.size >= wanted) break;
  }
  return queuedAtMs;
}

/** The outcome of the deliveries. Times in seconds. */
export interface ChaosOutcome {
  readonly created: number;
  /** Created ones that never arrived. */
  readonly lost: readonly string[];
  /** Ids that arrived and were never created. */
  readonly unknown: readonly string[];
  /** Arrivals beyond the first of each delivery. */
  readonly duplicates: number;
  /** Events that arrived under more than one delivery id. */
  readonly renamed: readonly string[];
  /** Deliveries whose arrivals told different things: another body, or another event. */
  readonly changed: readonly string[];
  /** The longest from when one was queued to its first arrival. A delivery whose worker dies, and the next one too, waits for both. */
  readonly slowestArrival: number;
  /**
   * The longest that one waited in vain until it was settled. A wait begins with the latest of these: the delivery was queued, its
   * owner died, or a worker came up when none was alive.
   */
  readonly longestStranded: number;
  /** How many waited in vain for more than five seconds. */
  readonly stranded: number;
  /** How many workers were killed, and how often none was up. */
  readonly deaths: number;
  readonly blackouts: number;
  /** How many endpoints were taken, counting each taking, and how many of these by nobody who is known. */
  readonly takings: number;
  readonly takenByNobody: number;
  /** How many deliveries stand at each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Parameters: the account, and the lives. A worker leaves the endpoints that nobody else had taken when it died. */
const OUTCOME = `
  with lives as materialized (
    select * from json_to_recordset($2::json) as l(worker text, born timestamptz, died timestamptz)
  ), left_behind as materialized (
    select o.endpoint_id, l.died as at
    from lives l join owners o on o.worker = l.worker and o.at <= l.died
    where not exists (select from owners n where n.endpoint_id = o.endpoint_id and n.at > o.at and n.at <= l.died)
  ), reliefs as materialized (
    select l.born as at from lives l
    where not exists (select from lives o where o.born < l.born and (o.died is null or o.died >= l.born))
  ), waits as materialized (
    select d.status, extract(epoch from over.at - greatest(d.created_at,
      (select max(l.at) from left_behind l where l.endpoint_id = d.endpoint_id and l.at <= over.at),
      (select max(r.at) from reliefs r where r.at <= over.at)))::float8 as seconds
    from webhook_deliveries d
    cross join lateral (select coalesce(d.finished_at, clock_timestamp()) as at) over
    where d.account_id = $1
  )
  select (select jsonb_object_agg(status, n) from (select status, count(*)::int as n from waits group by status) s) as statuses,
    (select count(*)::int from owners) as takings,
    (select count(*)::int from owners o where not exists (select from lives l where l.worker = o.worker)) as "takenByNobody",
    (select count(*)::int from lives where died is not null) as deaths,
    (select count(*)::int - 1 from reliefs) as blackouts,
    coalesce(max(seconds), 0) as longest, (count(*) filter (where seconds > 5))::int as stranded
  from waits`;

type ChaosRow = Pick<ChaosOutcome, 'deaths' | 'blackouts' | 'takings' | 'takenByNobody' | 'stranded' | 'statuses'> & {
  readonly longest: number;
};

/** Under which delivery ids each event arrived. */
function namesOf(received: readonly Received[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { body, headers } of received) {
    const { id } = JSON.parse(body) as { readonly id: string };
    names.set(id, (names.get(id) ?? new Set()).add(String(headers['x-service-delivery'])));
  }
  return names;
}

/** Compares what was created with what arrived and what is stored. */
export async function chaosOutcome(
  { sql }: Pick<TestServices, 'sql'>,
  accountId: string,
  queuedAtMs: ReadonlyMap<string, number>,
  received: readonly Received[],
  lives: readonly Life[],
): Promise<ChaosOutcome> {
  const arrivals = Map.groupBy(received, ({ headers }) => String(headers['x-service-delivery']));
  const waits = [...arrivals].map(([id, [first]]) => ((first?.atMs ?? 0) - (queuedAtMs.get(id) ?? 0)) / 1_000);
  const [row] = await sql<ChaosRow>(OUTCOME, [toUuid(accountId), JSON.stringify(lives)]);
  return {
    created: queuedAtMs.size,
    lost: [...queuedAtMs.keys()].filter(id => !arrivals.has(id)),
    unknown: [...arrivals.keys()].filter(id => !queuedAtMs.has(id)),
    duplicates: received.length - arrivals.size,
    renamed: [...namesOf(received)].filter(([, ids]) => ids.size > 1).map(([event]) => event),
    changed: [...arrivals].filter(([, all]) => new Set(all.map(({ body }) => body)).size > 1).map(([id]) => id),
    slowestArrival: waits.reduce((most, wait) => Math.max(most, wait), 0),
    longestStranded: row?.longest ?? Number.NaN,
    stranded: row?.stranded ?? Number.NaN,
    deaths: row?.deaths ?? Number.NaN,
    blackouts: row?.blackouts ?? Number.NaN,
    takings: row?.takings ?? Number.NaN,
    takenByNobody: row?.takenByNobody ?? Number.NaN,
    statuses: row?.statuses ?? {},
  };
}
