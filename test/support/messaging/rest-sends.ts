/** Sends over REST, and what is stored of them. */
import { toUuid } from '../../../src/kernel/ids.ts';
import type { Customer, RestAnswer, TestApp } from '../app.ts';
import type { SendBody } from './send-cases.ts';

/** The path of sends over any channel. */
export const SEND_PATH = '/api/omni/send';

/** The sends of a customer, or of another where one is named. */
export function sendsOf(on: TestApp, customer: Customer) {
  return {
    send: (body: SendBody, headers: Record<string, string> = {}, of = customer): Promise<RestAnswer> =>
      on.rest('POST', SEND_PATH, { token: of.tokens.unified, body, headers }),
    /** How many rows there are of messages, attempts and references together. */
    async countRows({ accountId }: Pick<Customer, 'accountId'>): Promise<number> {
      const [row] = await on.sql<{ count: number }>(
        `select (select count(*) from messages where account_id = $1)::int
           + (select count(*) from attempts where account_id = $1)::int
           + (select count(*) from idempotency_keys where account_id = $1)::int as count`,
        [toUuid(accountId)],
      );
      return row?.count ?? -1;
    },
  };
}
