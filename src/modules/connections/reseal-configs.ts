/** Seals the configs of connections under the current key, so that a former one can be given up. */
import type { Database } from '../../db/orm.ts';
import { statement } from '../../db/statements/statement.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { toUuid } from '../../kernel/ids.ts';
import { Connection } from './connection.entity.ts';
import { openConfig, sealConfig } from './sealed-config.ts';

const RESEAL_CONFIG = statement('reseal config', {
  takes: { id: 'uuid', before: 'text', config: 'text', configKeyId: 'text' },
  sql: p => `update connections set config = ${p.config}, config_key_id = ${p.configKeyId}
    where id = ${p.id} and config = ${p.before}`,
});

/** Seals anew the configs of former keys; a lost config stays, and one that was changed meanwhile. @throws the database's error */
export async function resealConfigs(database: Database, keys: KeyRing): Promise<void> {
  const former = keys.ids.filter(id => id !== keys.currentId);
  if (former.length === 0) return;
  const rows = await database.fork().find(Connection, { configKeyId: { $in: former } }, { disableIdentityMap: true });
  for (const row of rows) {
    const opened = openConfig(keys, row);
    if (opened === null) continue;
    await RESEAL_CONFIG.run(database.sql(), {
      id: toUuid(row.id),
      before: row.config,
      ...sealConfig(keys, row.id, opened),
    });
  }
}
