import { expect, test } from 'vitest';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { forgetSecretKey } from '../../../src/modules/keys/forget-key.ts';
import { describeUses, findKeyUses } from '../../../src/modules/keys/key-uses.ts';
import { openErasedNames } from '../../../src/modules/suppressions/erased-names.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { OPERATOR, TEST_KEYS } from '../../support/services.ts';

const t = setUpServices();
const account = setUpAccount(t);
const [first, second] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];

const open = (ring: ReturnType<typeof createKeyRing>) => openErasedNames(t.services.database.sql(), ring);
const suppress = (person: string) =>
  t.sql(
    `insert into suppressions (id, account_id, person, origin, created_at) values (gen_random_uuid(), $1, $2, 'recipient', now())`,
    [toUuid(account.accountId), person],
  );

test('a name of an erased recipient outlives the rotation of the secret key', async () => {
  const nameOf = async (ring: ReturnType<typeof createKeyRing>) => (await open(ring))(account.accountId, '12025550100');
  const before = await nameOf(TEST_KEYS);
  expect(before).toMatch(/^erased:[\w-]{43}$/);
  expect(await nameOf(createKeyRing(second, [first]))).toBe(before);
  expect(await nameOf(createKeyRing(second, []))).toBe(before);
  expect(await nameOf(createKeyRing(first, [second]))).toBe(before);
});

test('a name of an erased recipient is another one in every account', async () => {
  const name = await open(TEST_KEYS);
  expect(name(account.accountId, '12025550100')).not.toBe(name(`acc_${'0'.repeat(32)}`, '12025550100'));
});

test('a secret key that names of erased recipients need is known, and gives them up when it is forgotten', async () => {
  await suppress((await open(TEST_KEYS))(account.accountId, '12025550100'));
  await suppress('12025550101');
  const strange = createKeyRing(second, []);
  const uses = await findKeyUses(t.services.database.sql(), strange.ids);
  expect(describeUses(uses)).toBe('the stop of 1 erased recipient');
  await open(strange);
  expect(await findKeyUses(t.services.database.sql(), strange.ids)).toEqual(uses);
  const ctx = t.ctxFor(OPERATOR);
  const forgotten = await forgetSecretKey(
    ctx.with({ services: { ...ctx.services, keys: strange } }),
    TEST_KEYS.currentId,
  );
  expect(forgotten).toMatchObject({ stops: 1, passcodes: 0 });
  expect(await t.sql('select person from suppressions')).toEqual([{ person: '12025550101' }]);
  await open(TEST_KEYS);
});

test('a lost key that no name needs is replaced', async () => {
  await t.sql('delete from suppressions');
  const ring = createKeyRing(second, []);
  const made = (await open(ring))(account.accountId, '12025550100');
  expect((await open(ring))(account.accountId, '12025550100')).not.toBe(undefined);
  expect((await open(ring))(account.accountId, '12025550100')).toBe(made);
});
