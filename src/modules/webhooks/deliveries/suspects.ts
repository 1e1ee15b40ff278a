/**
 * Deliveries that may kill the worker that tries them. When a worker has died, what it may have had in hand of an endpoint is suspected,
 * and from then on the row of such a delivery names the worker that tries it: so the second death counts for those alone that were
 * under way at it. One that was under way at two is tried by itself, and the third death is its own: it is quarantined.
 */
import type { Sql } from '../../../db/statements/sql.ts';
import { statement } from '../../../db/statements/statement.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import type { QuarantinedRow } from './take-endpoints.sql.ts';

/** From so many deaths on it is tried by itself: each of them may have been another's. */
export const ISOLATED_FROM = 2;

/** A delivery that is given up because workers die over it. */
export interface Quarantined {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly accountId: string;
}

/** The delivery of a row. */
export function toQuarantined(row: QuarantinedRow): Quarantined {
  return {
    deliveryId: fromUuid('dlv', row.id),
    endpointId: fromUuid('whk', row.endpoint_id),
    accountId: fromUuid('acc', row.account_id),
  };
}

const NOTE_TRIED = statement('note tried', {
  takes: { worker: 'uuid', id: 'uuid' },
  sql: p => `update webhook_deliveries set tried_by = ${p.worker} where id = ${p.id}`,
});

const FORGET_TRIED = statement('forget tried', {
  takes: { worker: 'uuid', id: 'uuid' },
  sql: p => `update webhook_deliveries set tried_by = null where id = ${p.id} and tried_by = ${p.worker}`,
});

/** Notes that a worker tries a suspect now, and is to blame for nothing else. */
export async function noteTried(sql: Sql, worker: string, deliveryId: string): Promise<void> {
  await NOTE_TRIED.run(sql, { worker, id: toUuid(deliveryId) });
}

/** Takes that back where the try was none: the process ends, and did not die. */
export async function forgetTried(sql: Sql, worker: string, deliveryId: string): Promise<void> {
  await FORGET_TRIED.run(sql, { worker, id: toUuid(deliveryId) });
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
