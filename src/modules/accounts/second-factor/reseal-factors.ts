/** Seals the secrets of second factors under the current key, so that a former one can be given up. */
import type { Database } from '../../../db/orm.ts';
import { statement } from '../../../db/statements/statement.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';
import { openSecret, sealSecret } from './spend-code.ts';

const RESEAL_FACTOR = statement('reseal factor', {
  takes: { id: 'uuid', before: 'text', sealed: 'text', keyId: 'text' },
  sql: p => `update dashboard_users set second_factor = ${p.sealed}, second_factor_key_id = ${p.keyId}
    where id = ${p.id} and second_factor = ${p.before}`,
});

/** Seals anew the secrets of former keys; a lost secret stays, and one that was changed meanwhile. @throws the database's error */
export async function resealFactors(database: Database, keys: KeyRing): Promise<void> {
  const former = keys.ids.filter(id => id !== keys.currentId);
  if (former.length === 0) return;
  const where = { secondFactorKeyId: { $in: former } };
  for (const user of await database.fork().find(DashboardUser, where, { disableIdentityMap: true })) {
    const secret = openSecret(keys, user);
    if (secret === null) continue;
    const { id, secondFactor } = user;
    await RESEAL_FACTOR.run(database.sql(), {
      id: toUuid(id),
      before: secondFactor ?? '',
      ...sealSecret(keys, id, secret),
    });
  }
}
