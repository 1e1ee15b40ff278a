/**
 * Deliveries that may kill the worker that tries them. When a worker has died, what it may have had in hand of an endpoint is suspected,
 * and from then on the row of such a delivery names the worker that tries it: so the second death counts for those alone that were
 * under way at it. One that was under way at two is tried by itself, and the third death is its own: it is quarantined.
 */
import { runSql, type Sql } from '../../../db/statements/sql.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';

/** So many workers die over a delivery. */
export const DEATHS_MAX = 3;

/** From so many deaths on it is tried by itself: each of them may have been another's. */
export const ISOLATED_FROM = 2;

/** How many deliveries of an endpoint a worker has in hand: the oldest that are due. */
const IN_HAND = 100;

/** A delivery that is given up because workers die over it. */
export interface Quarantined {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly accountId: string;
}

/** A row of `QUARANTINED_COLUMNS`. */
export interface QuarantinedRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly account_id: string;
}

/**
 * CTEs that count the deaths, behind one named `free` of the endpoints that are taken: `id`, `dead_worker` (null: its holder is alive, or
 * gave it back) and `lease_until`. `judged` has the deliveries that count one more. What is being settled at this moment is passed over.
 */
export const JUDGE_SUSPECTS = `suspects as materialized (
    select d.id, free.dead_worker from free cross join lateral (
      select id from webhook_deliveries d
      where d.endpoint_id = free.id and d.status = 'pending' and d.next_try_at <= free.lease_until
      order by d.next_try_at limit ${IN_HAND} for update skip locked
    ) d where free.dead_worker is not null
  ), judged as (
    update webhook_deliveries d
    set deaths = d.deaths + 1, tried_by = null,
        status = case when d.deaths + 1 >= ${DEATHS_MAX} then 'dead' else 'pending' end,
        error = case when d.deaths + 1 >= ${DEATHS_MAX} then 'quarantined' else d.error end,
        next_try_at = case when d.deaths + 1 >= ${DEATHS_MAX} then null else d.next_try_at end,
        finished_at = case when d.deaths + 1 >= ${DEATHS_MAX} then clock_timestamp() end
    where d.id = any(array(select id from suspects)) and d.status = 'pending'
      and (d.deaths = 0 or d.tried_by = any(array(select dead_worker from suspects)))
    returning d.id, d.endpoint_id, d.account_id, d.status
  )`;

/** Those of `judged` that are quarantined, as one column of JSON. */
export const QUARANTINED_COLUMN = `(select coalesce(json_agg(json_build_object('id', id, 'endpoint_id', endpoint_id, 'account_id', account_id)), '[]')
   from judged where status = 'dead') as quarantined`;

/** The delivery of a row. */
export function toQuarantined(row: QuarantinedRow): Quarantined {
  return {
    deliveryId: fromUuid('dlv', row.id),
    endpointId: fromUuid('whk', row.endpoint_id),
    accountId: fromUuid('acc', row.account_id),
  };
}

/** Notes that a worker tries a suspect now, and is to blame for nothing else. */
export async function noteTried(sql: Sql, worker: string, deliveryId: string): Promise<void> {
  await runSql(sql, 'update webhook_deliveries set tried_by = $1 where id = $2', [worker, toUuid(deliveryId)]);
}

/** Takes that back where the try was none: the process ends, and did not die. */
export async function forgetTried(sql: Sql, worker: string, deliveryId: string): Promise<void> {
  const id = toUuid(deliveryId);
  await runSql(sql, 'update webhook_deliveries set tried_by = null where id = $2 and tried_by = $1', [worker, id]);
}

/** Of the suspects of a process, many are tried side by side, or one by itself. Who came first is let in first. */
export class Isolation {
  #inside = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly enter: () => void }[] = [];

  /** Resolves when the try may begin; then `leave` must follow. */
  enter(alone: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ alone, enter: resolve });
    this.#letIn();
    return promise;
  }

  /** Tells that a try is over. */
  leave(): void {
    this.#inside -= 1;
    this.#isAlone = false;
    this.#letIn();
  }

  #letIn(): void {
    for (let [next] = this.#waiting; next && !this.#isAlone; [next] = this.#waiting) {
      if (next.alone && this.#inside > 0) return;
      this.#waiting.shift();
      this.#inside += 1;
      this.#isAlone = next.alone;
      next.enter();
    }
  }
}
