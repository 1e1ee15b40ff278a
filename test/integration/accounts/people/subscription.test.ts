import { beforeEach, expect, test } from 'vitest';
import type { Ctx, UserActor } from '../../../../src/context.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { readScope } from '../../../../src/modules/accounts/read-scope.ts';
import { loadSession } from '../../../../src/modules/accounts/sign-in/load-session.ts';
import { whileAllowed } from '../../../../src/modules/accounts/still-allowed.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { addPerson, openPage, type Person } from '../../../support/people/people.ts';
import { createTestClock, createTestCtx } from '../../../support/services.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
let person: Person;
let actor: UserActor;

beforeEach(async () => {
  person = await addPerson(on, customer.accountId, 'developer');
  const token = (await openPage(on, person)).cookie?.split('=')[1] ?? '';
  const found = await loadSession({ database: on.app.services.database, operatorToken: null }, token, undefined);
  if (found?.kind !== 'user') throw new Error('nobody is signed in');
  actor = found;
});

/** A subscription of the person that has a row whenever it is asked, each a second after the one before. */
function follow(): AsyncIterableIterator<number, undefined> {
  const clock = createTestClock();
  const ctx: Ctx = createTestCtx(on.app.services, actor, clock);
  async function* rows(): AsyncGenerator<number, undefined> {
    for (let row = 1; row < 100; row++) {
      clock.set(new Date(clock.now().getTime() + 1_000));
      yield row;
    }
    return undefined;
  }
  return whileAllowed(ctx, rows(), readScope);
}

test('a subscription goes on while its session lives', async () => {
  const rows = follow();
  expect([await rows.next(), await rows.next()]).toMatchObject([{ value: 1 }, { value: 2 }]);
});

test.each([
  ['its session has ended', 'delete from dashboard_sessions where user_id = $1'],
  ['its person has another role', `update dashboard_users set role = 'viewer' where id = $1`],
  ['its person was removed', 'delete from dashboard_users where id = $1'],
])('a subscription ends before another row once %s', async (_why, change) => {
  const rows = follow();
  expect(await rows.next()).toMatchObject({ value: 1 });
  await on.sql(change, [toUuid(person.userId)]);
  await expect(rows.next()).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(rows.next()).resolves.toMatchObject({ done: true });
});
