/** The statements that seal secrets under another key. */
import { idSql } from '../../../db/statements/json.sql.ts';
import { statement } from '../../../db/statements/statement.ts';

/** The endpoints behind `after` whose secrets are sealed under one of these keys, by their uuids. */
export const FIND_SEALED = statement('find sealed secrets', {
  takes: { after: 'uuid', keyIds: 'text[]', limit: 'int' },
  gives: {
    uuid: 'uuid',
    id: 'text',
    secret: 'text',
    secretKeyId: 'varchar',
    previousSecret: 'text?',
    previousSecretKeyId: 'varchar?',
  },
  sql: p => `select e.id as uuid, ${idSql('whk', 'e.id')} as id, secret, secret_key_id as "secretKeyId",
      previous_secret as "previousSecret", previous_secret_key_id as "previousSecretKeyId"
    from webhook_endpoints e
    where e.id > ${p.after} and (secret_key_id = any(${p.keyIds}) or previous_secret_key_id = any(${p.keyIds}))
    order by e.id limit ${p.limit}`,
});

/** Seals the secrets of an endpoint anew. One that was rotated meanwhile is sealed as it should be. */
export const RESEAL = statement('reseal', {
  takes: {
    id: 'uuid',
    before: 'text',
    secret: 'text',
    secretKeyId: 'text',
    previousSecret: 'text?',
    previousSecretKeyId: 'text?',
  },
  sql: p => `update webhook_endpoints set secret = ${p.secret}, secret_key_id = ${p.secretKeyId},
      previous_secret = ${p.previousSecret}, previous_secret_key_id = ${p.previousSecretKeyId}
    where id = ${p.id} and secret = ${p.before}`,
});
