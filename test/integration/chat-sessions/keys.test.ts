import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { KeyStore, openKey, sealKey } from '../../../src/modules/chat-sessions/keys/key-store.ts';
import { resealSessions } from '../../../src/modules/chat-sessions/keys/reseal-sessions.ts';
import { unlinkSession } from '../../../src/modules/chat-sessions/locked-number.ts';
import { setUpServices } from '../../support/fixtures.ts';

const t = setUpServices();

/** More than one piece of what is sealed anew at once. */
const KEYS = 501;

test('the keys and credentials of sessions open by a new secret key alone after a start with both', async () => {
  const [before, after] = [randomBytes(32), randomBytes(32)];
  const former = createKeyRing(before, []);
  const connection = toUuid(newId('con'));
  const creds = sealKey(former, { connection, kind: '', id: '' }, 'credentials');
  await t.sql(
    `insert into chat_sessions (connection_id, state, state_since, creds, creds_key_id) values ($1, 'linked', now(), $2, $3)`,
    [connection, creds.value, creds.key_id],
  );
  const keys = Array.from({ length: KEYS }, (_none, index) => {
    const id = String(index);
    return {
      connection_id: connection,
      kind: 'pre-key',
      id,
      ...sealKey(former, { connection, kind: 'pre-key', id }, id),
    };
  });
  await t.sql(
    `insert into chat_session_keys select * from json_populate_recordset(null::chat_session_keys, $1::json)`,
    [JSON.stringify(keys)],
  );
  await resealSessions(t.database, createKeyRing(after, [before]));
  const alone = createKeyRing(after, []);
  const rows = await t.sql<{ kind: string; id: string; value: string; key_id: string }>(
    `select kind, id, value, key_id from chat_session_keys where connection_id = $1
     union all select '', '', creds, creds_key_id from chat_sessions where connection_id = $1`,
    [connection],
  );
  expect(rows).toHaveLength(KEYS + 1);
  for (const { kind, id, value, key_id: keyId } of rows)
    expect(openKey(alone, { connection, kind, id, value, keyId })).toBe(kind === '' ? 'credentials' : id);
});

test('keys of a session that belong together are stored all or not at all', async () => {
  const [connectionId, owner] = [newId('con'), randomUUID()];
  await t.sql(
    `insert into chat_sessions (connection_id, state_since, owner, lease_until) values ($1, now(), $2, now() + interval '1 minute')`,
    [toUuid(connectionId), owner],
  );
  const of = { connectionId, owner, number: '12025550100', isLinked: false };
  const store = new KeyStore(t.database, createKeyRing(randomBytes(32), []), of);
  await store.keep([['session', 'former', 'one']], null);
  await t.sql(`alter table chat_session_keys add constraint refuse check (id <> 'refused')`);
  const batch = [
    ['session', 'former', null],
    ['session', 'new', 'two'],
    ['session', 'refused', 'three'],
  ] as const;
  await expect(store.keep(batch, 'credentials')).rejects.toThrow('refuse');
  await t.sql('alter table chat_session_keys drop constraint refuse');
  expect(await store.get('session', ['former', 'new', 'refused'])).toEqual({ former: 'one' });
  const rows = await t.sql('select state, creds from chat_sessions where connection_id = $1', [toUuid(connectionId)]);
  expect(rows).toEqual([{ state: 'unlinked', creds: null }]);
});

test('a number that is unlinked after a link failed forgets how the chat writes numbers', async () => {
  const connection = toUuid(newId('con'));
  await t.sql(`insert into chat_sessions (connection_id, state, state_since) values ($1, 'unlinked', now())`, [
    connection,
  ]);
  await t.sql(
    `insert into chat_session_keys (connection_id, kind, id, value, key_id)
     values ($1, 'our-address', '551188887777@s.whatsapp.net', '', '')`,
    [connection],
  );
  await t.database.fork().transactional(within => unlinkSession(within, connection));
  expect(await t.sql('select 1 from chat_session_keys where connection_id = $1', [connection])).toEqual([]);
});
