/** Sends that wait for a receipt, as their rows are, and their timers without the time. */
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { WEBHOOK_EVENTS } from '../../../src/modules/webhooks/events/webhook-events.ts';
import type { RunSql } from '../otp/pins.ts';

/** The row of a wait. */
interface Wait {
  readonly wanted: string;
  readonly is_taken: boolean;
}

/** Steps of tests with the waits of sends. */
export interface FollowUps {
  /** Has every event of an account stored. */
  listen(account: { readonly accountId: string }): Promise<void>;
  /** The wait of a send; null: there is none. */
  of(id: string): Promise<Wait | null>;
  /** Ends the time of the accepted channel. */
  comeDue(id: string): Promise<void>;
  /** Leaves a send as a process does that has taken it and is about to ask the next channel. */
  take(id: string): Promise<void>;
  /** Leaves an attempt over this channel under way. @param hold the credits that it holds */
  putUnderWay(id: string, channel: string, hold: { readonly held: number }): Promise<void>;
  /** Ends the lease of that process. */
  loseLease(id: string): Promise<void>;
  /** The attempts of a send as channel and status, by resend and route: two of one millisecond have no other order. */
  attemptsOf(id: string): Promise<string[]>;
  /** The names of the events of a send, in their order. */
  eventsOf(id: string): Promise<string[]>;
}

/** The table of a send, by its id. */
const tableOf = (id: string): string => (id.startsWith('msg_') ? 'messages' : 'otps');

/** Binds them to a database. */
export function createFollowUps({ sql }: { readonly sql: RunSql }): FollowUps {
  return {
    async listen({ accountId }) {
      await sql(
        `insert into webhook_listeners (id, account_id, events, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
        [toUuid(newId('key')), toUuid(accountId), WEBHOOK_EVENTS],
      );
    },
    async of(id) {
      const [row] = await sql<Wait>('select wanted, is_taken from follow_ups where send_id = $1', [toUuid(id)]);
      return row ?? null;
    },
    async comeDue(id) {
      await sql('update follow_ups set due_at = now() where send_id = $1 and not is_taken', [toUuid(id)]);
    },
    async take(id) {
      await sql(`update follow_ups set is_taken = true, due_at = now() + interval '15 seconds' where send_id = $1`, [
        toUuid(id),
      ]);
      await sql(`update ${tableOf(id)} set lease_until = now() + interval '15 seconds' where id = $1`, [toUuid(id)]);
    },
    async putUnderWay(id, channel, { held }) {
      const underWay = [[toUuid(newId('att')), channel, 'sandbox', 'ACME', Date.now()]];
      await sql(
        `update ${tableOf(id)} set under_way = $2, held = $3, held_on = (now() at time zone 'utc')::date where id = $1`,
        [toUuid(id), JSON.stringify(underWay), held],
      );
      await sql(
        `update accounts a set credits = a.credits - s.held, held = a.held + s.held from ${tableOf(id)} s
         where s.id = $1 and a.id = s.account_id`,
        [toUuid(id)],
      );
    },
    async loseLease(id) {
      await sql(`update ${tableOf(id)} set lease_until = now() - interval '1 second' where id = $1`, [toUuid(id)]);
      await sql('update follow_ups set due_at = now() where send_id = $1', [toUuid(id)]);
    },
    async attemptsOf(id) {
      const rows = await sql<{ channel: string; status: string }>(
        `select a.channel, a.status from attempts a, ${tableOf(id)} s
         where s.id = $1 and s.id in (a.message_id, a.pin_id) and a.type in ('message_attempt', 'otp_attempt')
         order by a.resend, array_position(s.channels, a.channel), a.id`,
        [toUuid(id)],
      );
      return rows.map(({ channel, status }) => `${channel} ${status}`);
    },
    async eventsOf(id) {
      const rows = await sql<{ event: string }>(
        'select event from webhook_events where send_id = $1 order by created_at, id',
        [toUuid(id)],
      );
      return rows.map(({ event }) => event);
    },
  };
}
