import { afterEach, describe, expect, test } from 'vitest';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

describe.skipIf(missingLibrary() !== null)('what people write to a linked number', () => {
  const numbers = setUpNumbers();
  const { on } = numbers;
  const customer = setUpOwnCustomer(on);
  afterEach(() => on.sql('drop function refuse_text cascade'));

  /** Has the database refuse a text, by an error, each time that it comes. Answers how often it has. */
  async function refuse(text: string, sqlState: string): Promise<() => Promise<number>> {
    await on.sql('create sequence if not exists refusals');
    await on.sql('alter sequence refusals restart');
    await on.sql(
      `create function refuse_text() returns trigger language plpgsql as $$
       begin
         perform nextval('refusals');
         raise exception 'refused' using errcode = '${sqlState}', constraint = 'refusing';
       end $$`,
    );
    await on.sql(`create trigger refuse_text before insert on inbound_messages
      for each row when (new.text = '${text}') execute function refuse_text()`);
    return async () => {
      const [row] = await on.sql<{ count: number }>(
        'select (case when is_called then last_value else 0 end)::int as count from refusals',
      );
      return row?.count ?? 0;
    };
  }

  const textsOf = async (from: string) => {
    const rows = await on.sql<{ text: string }>(
      'select text from inbound_messages where from_number = $1 order by id',
      [from],
    );
    return rows.map(({ text }) => text);
  };

  test('and can never be stored is dropped, and holds up nothing that comes later', async () => {
    const { number } = await numbers.link(customer);
    const from = newNumber();
    const refusals = await refuse('never', '23514');
    await numbers.peer.write(from, number, { conversation: 'never' }, { by: 'both' });
    await numbers.peer.write(from, number, { conversation: 'STOP' }, { by: 'both' });
    await expect.poll(() => textsOf(from)).toEqual(['STOP']);
    expect(await refusals()).toBe(2);
  });

  test('and cannot be stored for now holds up what comes later, and both are stored in their order', async () => {
    const { number } = await numbers.link(customer);
    const from = newNumber();
    const refusals = await refuse('START', '53100');
    await numbers.peer.write(from, number, { conversation: 'START' }, { by: 'both' });
    await numbers.peer.write(from, number, { conversation: 'STOP' }, { by: 'both' });
    await expect.poll(refusals).toBeGreaterThan(1);
    expect(await textsOf(from)).toEqual([]);
    await on.sql('drop trigger refuse_text on inbound_messages');
    await expect.poll(() => textsOf(from)).toEqual(['START', 'STOP']);
  });
});
