import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { acceptRisks, connectNumber, followLink } from '../../support/chat-qr/linked.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

/** Longer than two looks of a process. */
const LOOKS = { timeout: 20_000 };

describe.skipIf(missingLibrary() !== null)('a link whose end cannot be stored', () => {
  const numbers = setUpNumbers();
  const { on } = numbers;
  const customer = setUpOwnCustomer(on);

  /** Begins to link a number, to its first code. */
  async function begin() {
    const number = newNumber();
    const connectionId = await connectNumber(on, customer.accountId, { number });
    await acceptRisks(on, connectionId);
    const first = followLink(on.app, connectionId, 'QR');
    const { value } = await first.next();
    return { connectionId, number, first, code: value?.code ?? '' };
  }

  /** When a session became what it is, and the end of its lease. */
  async function timesOf(connectionId: string) {
    const [row] = await on.sql<{ since: number; lease: number }>(
      `select extract(epoch from state_since)::float8 as since, extract(epoch from lease_until)::float8 as lease
       from chat_sessions where connection_id = $1`,
      [toUuid(connectionId)],
    );
    return { since: row?.since ?? 0, lease: row?.lease ?? 0 };
  }

  /** Waits until the process has gone on with a number. */
  async function untilRenewed(connectionId: string): Promise<void> {
    const { lease } = await timesOf(connectionId);
    await expect.poll(async () => (await timesOf(connectionId)).lease, LOOKS).toBeGreaterThan(lease);
  }

  /** Has the database refuse to end a session while something is done. */
  async function refusingEnds(work: () => Promise<void>): Promise<void> {
    await on.sql(
      `create function refuse_end() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`,
    );
    await on.sql(`create trigger refuse_end before update on chat_sessions for each row
      when (old.owner is not null and new.owner is null) execute function refuse_end()`);
    await work();
    await on.sql('drop function refuse_end cascade');
  }

  test('leaves the next link of its number alone', async () => {
    const { connectionId, number, first } = await begin();
    const next = followLink(on.app, connectionId, 'QR');
    let code = '';
    await refusingEnds(async () => {
      code = (await next.next()).value?.code ?? '';
    });
    expect((await first.next()).value).toMatchObject({ state: 'FAILED' });
    // The end is told again meanwhile.
    await untilRenewed(connectionId);
    await untilRenewed(connectionId);
    numbers.peer.scan(number, code);
    expect((await next.next()).value).toMatchObject({ state: 'LINKED' });
  });
});
