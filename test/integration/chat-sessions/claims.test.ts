import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/db/orm.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { claimTurn, type TurnWish } from '../../../src/modules/chat-sessions/pace/claim-turn.ts';
import { CLAIM_CHAT_TURN } from '../../../src/modules/chat-sessions/pace/turn.sql.ts';
import { newNumber } from '../../support/chat-qr/set-up-numbers.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { setUpOtherProcess, setUpServices } from '../../support/fixtures.ts';

const CLAIMS = 1_000;
const NEW_PEOPLE = 500;

describePostgres('1,000 concurrent turns of a number over two processes, each for somebody new', () => {
  const on = setUpServices();
  const other = setUpOtherProcess(on);

  /** How many people a number of a week may write to, where that is all that bounds it. */
  async function countMet(claim: (database: Database, wish: TurnWish) => Promise<unknown>): Promise<number> {
    const [connection, owner] = [toUuid(newId('con')), randomUUID()];
    await on.sql(
      `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, linked_at)
       values ($1, 'linked', now(), $2, now() + interval '1 day', now() - interval '8 days')`,
      [connection, owner],
    );
    const pace = { perMinute: 60, newPeople: NEW_PEOPLE, gapMs: 0, patienceMs: 86_400_000 };
    const wish = () => ({ connection, owner, person: newNumber(), ...pace });
    const databases = [on.database, other];
    await Promise.all(
      Array.from({ length: CLAIMS }, (_none, index) => claim(databases[index % 2] as Database, wish())),
    );
    const met = await on.sql('select person from chat_contacts where connection_id = $1', [connection]);
    return met.length;
  }

  test('meet as many people as the day allows', async () => {
    expect(await countMet(claimTurn)).toBe(NEW_PEOPLE);
  });

  test('meet more where the number is not locked before the people are counted', async () => {
    expect(await countMet((database, wish) => CLAIM_CHAT_TURN.run(database.sql(), wish))).toBeGreaterThan(NEW_PEOPLE);
  });
});
