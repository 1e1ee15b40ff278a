import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { LOCK_NUMBER } from '../../../src/modules/chat-sessions/pace/turn.sql.ts';
import { acceptRisks, connectNumber, followLink } from '../../support/chat-qr/linked.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';
import { until } from '../../support/processes/gateway.ts';

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

  test.skipIf(process.env.TEST_DATABASE === 'pglite')(
    'and whose keys are stored is taken up before its lease is over',
    async () => {
      const { connectionId, number, code } = await begin();
      const waiting = (query: string) =>
        on.sql<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
          [query],
        );
      const next = followLink(on.app, connectionId, 'QR');
      let step: ReturnType<typeof next.next> | undefined;
      await on.app.services.database.fork().transactional(async em => {
        await LOCK_NUMBER.run(em.getKysely(), { connection: toUuid(connectionId) });
        numbers.peer.scan(number, code);
        await until('the phone waits', async () => (await waiting('%insert into chat_session_keys%'))[0] ?? null);
        step = next.next();
        const { pid } = await until(
          'the end waits',
          async () => (await waiting('select from chat_sessions where%'))[0] ?? null,
        );
        await on.sql('select pg_cancel_backend($1)', [pid]);
        await numbers.peer.until(() => (numbers.peer.socketsOf(number) === 0 ? true : null));
      });
      expect((await step)?.value).toMatchObject({ state: 'FAILED', error: 'The number is linked.' });
      expect(await numbers.session(connectionId)).toMatchObject({ state: 'linked' });
      const { lease } = await timesOf(connectionId);
      await numbers.untilSession(connectionId, ({ state }) => state === 'relink');
      expect((await timesOf(connectionId)).since).toBeLessThan(lease);
      expect(numbers.peer.devicesOf(number)).toBe(0);
    },
  );
});
