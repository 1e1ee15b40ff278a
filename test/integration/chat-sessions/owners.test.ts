import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { App } from '../../../src/app.ts';
import { NOT_CONNECTED } from '../../../src/channels/chat-qr/outcomes.ts';
import { runSql } from '../../../src/db/statements/sql.ts';
import { fromUuid, newId, toUuid } from '../../../src/kernel/ids.ts';
import { TAKE_SESSIONS } from '../../../src/modules/chat-sessions/lease.sql.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { suppress } from '../../../src/modules/suppressions/manage-suppressions.ts';
import { SUPPRESSED } from '../../../src/modules/suppressions/refuse-suppressed.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { CHAT_SENDER, delayTurn, newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

describe.skipIf(missingLibrary() !== null)('the session of a number', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  const healthOf = async (connectionId: string) => {
    const [row] = await numbers.on.sql<{ health: string; health_error: string | null }>(
      'select health, health_error from connections where id = $1',
      [toUuid(connectionId)],
    );
    return row;
  };

  test.each([
    [401, 'relink', true],
    [403, 'banned', false],
    [405, 'outdated', false],
    [411, 'relink', true],
    [440, 'replaced', false],
    // The second one in a row.
    [500, 'relink', false],
  ])('is over by the code %i: %s', async (code, state, isWiped) => {
    const { connectionId, number } = await numbers.link(customer);
    numbers.peer.refuseLogins(number, code);
    numbers.peer.close(number, code);
    const row = await numbers.untilSession(connectionId, ({ state: is }) => is === state);
    expect(row).toMatchObject({ is_open: false, owner: null, lease_until: null });
    expect(row.creds === null).toBe(isWiped);
    await expect.poll(() => healthOf(connectionId)).toEqual({ health: 'down', health_error: row.error });
    const { attempts } = await numbers.send(customer, newNumber());
    expect(attempts).toMatchObject([{ status: 'failed', errorCode: 'connection_down' }]);
  });

  test.each([428, 408, 503, 515])('is opened again after the code %i', async code => {
    const { connectionId, number } = await numbers.link(customer);
    const before = numbers.peer.logins.get(number) ?? 0;
    numbers.peer.close(number, code);
    await numbers.peer.until(() => ((numbers.peer.logins.get(number) ?? 0) > before ? true : null));
    await numbers.untilSession(connectionId, ({ is_open }) => is_open === true);
    expect(numbers.peer.socketsOf(number)).toBe(1);
    // The row may be the one from before the close.
    await expect.poll(async () => (await numbers.send(customer, newNumber())).status).toBe('sent');
  });

  test('is opened again after one bad session, whatever was closed before it', async () => {
    const { connectionId, number } = await numbers.link(customer);
    for (const code of [428, 500]) {
      const before = numbers.peer.logins.get(number) ?? 0;
      numbers.peer.close(number, code);
      await numbers.peer.until(() => ((numbers.peer.logins.get(number) ?? 0) > before ? true : null));
      await numbers.untilSession(connectionId, ({ is_open }) => is_open === true);
    }
    expect(await numbers.session(connectionId)).toMatchObject({ state: 'linked' });
  });

  test('that is outdated is taken by whoever has not found it so, unless another connection has linked its number', async () => {
    const [connection, other, number] = [toUuid(newId('con')), toUuid(newId('con')), newNumber()];
    await numbers.on.sql(
      `insert into chat_sessions (connection_id, state, state_since, number, creds, creds_key_id, linked_at, error)
       values ($1, 'outdated', now(), $3, 'sealed', 'key', now(), 'It is outdated.'),
         ($2, 'outdated', now(), $3, 'sealed', 'key', now() - interval '1 day', 'It is outdated.')`,
      [connection, other, number],
    );
    const take = async (outdated: readonly string[]) => {
      const taken = await TAKE_SESSIONS.run(numbers.on.app.services.database.sql(), {
        held: [],
        owners: [],
        wanted: [connection, other],
        outdated,
        leaseSeconds: 60,
      });
      return taken.map(({ connection_id }) => connection_id);
    };
    expect(await take([connection])).toEqual([]);
    expect(await take([])).toEqual([connection]);
    expect(await numbers.session(fromUuid('con', connection))).toMatchObject({ state: 'linked', error: null });
    await numbers.on.sql(`update chat_sessions set owner = null, lease_until = null where connection_id = $1`, [
      connection,
    ]);
    expect(await take([])).toEqual([connection]);
    await numbers.on.sql('delete from chat_sessions where connection_id = any($1::uuid[])', [[connection, other]]);
  });

  test('is forgotten when it is unlinked, and its phone is told', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const { errors } = await numbers.on.graphql(
      'mutation ($id: String!) { unlinkConnection(connectionId: $id) { session { state } } }',
      { token: OPERATOR_TOKEN, variables: { id: connectionId } },
    );
    expect(errors).toBeNull();
    expect(await numbers.session(connectionId)).toMatchObject({ state: 'unlinked', creds: null, owner: null });
    const keys = await numbers.on.sql('select 1 from chat_session_keys where connection_id = $1', [
      toUuid(connectionId),
    ]);
    expect(keys).toEqual([]);
    await expect.poll(() => numbers.peer.socketsOf(number)).toBe(0);
  });

  test('keeps nothing in the clear', async () => {
    const { connectionId } = await numbers.link(customer);
    const rows = await numbers.on.sql<{ value: string }>(
      'select value from chat_session_keys where connection_id = $1 union all select creds from chat_sessions where connection_id = $1',
      [toUuid(connectionId)],
    );
    expect(rows.length).toBeGreaterThan(100);
    for (const { value } of rows) expect(value).toMatch(/^[A-Za-z0-9+/]+=*$/);
  });
});

const isAlone = missingLibrary() !== null || process.env.TEST_DATABASE === 'pglite';

describe.skipIf(isAlone)('a session that another gateway owns', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  const ctxOf = ({ makeCtx }: Pick<App, 'makeCtx'>) => makeCtx(customer.actor('unified'), 'test');

  /** Sends by the gateway that does not own the session. */
  const handOver = (other: App, { connectionId, number }: { connectionId: string; number: string }, sendId: string) =>
    other.services.providers.of(connectionId)?.send(
      {
        attemptId: newId('att'),
        sendId,
        accountId: customer.accountId,
        channel: 'chat_qr',
        to: newNumber(),
        from: number,
        text: 'never handed over',
        template: null,
        validitySeconds: null,
        tryNumber: 1,
      },
      AbortSignal.timeout(10_000),
    );

  test('sends what is handed over by its id', async () => {
    const linked = await numbers.link(customer);
    const other = await numbers.openOther();
    const { messageId } = await numbers.send(customer, newNumber(), { text: 'Handed over' });
    expect(await handOver(other, linked, messageId)).toMatchObject({ kind: 'accepted' });
    expect(numbers.peer.messages.at(-1)).toMatchObject({ from: linked.number, text: 'Handed over' });
    expect(await numbers.on.sql('select 1 from handovers')).toEqual([]);
    expect(numbers.peer.socketsOf(linked.number)).toBe(1);
  });

  test('refuses what is handed over to a person who has stopped since', async () => {
    const linked = await numbers.link(customer);
    const other = await numbers.openOther();
    const to = newNumber();
    const { messageId } = await numbers.send(customer, to);
    await suppress(ctxOf(numbers.on.app), { to: `+${to}` });
    const sent = numbers.peer.messages.length;
    expect(await handOver(other, linked, messageId)).toEqual(SUPPRESSED);
    expect(numbers.peer.messages).toHaveLength(sent);
  });

  test('sends nothing of a passcode whose secret key it does not have, and the next connection may be asked', async () => {
    const linked = await numbers.link(customer);
    const other = await numbers.openOther();
    const input = { to: `+${newNumber()}`, channels: ['chat_qr' as const], chatFrom: CHAT_SENDER };
    const { id } = await sendOtp(ctxOf(numbers.on.app), input);
    const reseal = (key: string) => numbers.on.sql('update otps set key_id = $2 where id = $1', [toUuid(id), key]);
    const [row] = await numbers.on.sql<{ key_id: string }>('select key_id from otps where id = $1', [toUuid(id)]);
    await reseal('deadbeef');
    const sent = numbers.peer.messages.length;
    expect(await handOver(other, linked, id)).toEqual(NOT_CONNECTED);
    expect(numbers.peer.messages).toHaveLength(sent);
    // No gateway starts where a key is missing.
    await reseal(row?.key_id ?? '');
  });

  test('sends nothing that is handed over and waits for its turn to a person who stops meanwhile', async () => {
    const { connectionId } = await numbers.link(customer, { perMinute: 1 });
    const other = await numbers.openOther();
    const to = newNumber();
    await delayTurn(numbers.on, connectionId);
    const input = { to: `+${to}`, text: 'Hello', channels: ['chat_qr' as const], chatFrom: CHAT_SENDER };
    const sending = sendMessage(ctxOf(other), input);
    await expect.poll(async () => (await numbers.session(connectionId)).turns).toHaveLength(2);
    await suppress(ctxOf(numbers.on.app), { to: `+${to}` });
    expect((await sending).attempts).toMatchObject([{ errorCode: 'recipient_suppressed' }]);
    expect(numbers.peer.messages.filter(message => message.to === to)).toEqual([]);
  });

  test('sends the confirmation of a stop that is handed over', async () => {
    const { number } = await numbers.link(customer);
    const other = await numbers.openOther();
    const to = `+${newNumber()}`;
    await suppress(ctxOf(numbers.on.app), { to });
    const input = { to, text: 'You get no more', channels: ['chat_qr' as const], chatFrom: CHAT_SENDER };
    const { attempts } = await sendMessage(ctxOf(other), input, { goesToSuppressed: true });
    expect(attempts).toMatchObject([{ status: 'sent' }]);
    expect(numbers.peer.messages.at(-1)).toMatchObject({ from: number, text: 'You get no more' });
  });
});

describe.skipIf(isAlone)('a number that is outdated for its gateway', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  test('is taken over by a newer one that has run before', async () => {
    await numbers.openOther();
    const { connectionId, number } = await numbers.link(customer);
    const { owner } = await numbers.session(connectionId);
    numbers.peer.close(number, 405);
    await numbers.untilSession(connectionId, ({ state }) => state === 'outdated');
    const row = await numbers.untilSession(connectionId, ({ is_open }) => is_open === true);
    expect(row).toMatchObject({ state: 'linked', error: null });
    expect(row.owner).not.toBe(owner);
    expect((await numbers.send(customer, newNumber())).attempts).toMatchObject([{ status: 'sent' }]);
  });
});

describe.skipIf(isAlone)('how a number is', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  test('is stored in the order in which it changed, one change after the other', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const health = () => numbers.on.sql('select health from connections where id = $1', [toUuid(connectionId)]);
    await expect.poll(health).toEqual([{ health: 'up' }]);
    const { testDatabase } = numbers.on;
    const holder = new pg.Client({ connectionString: testDatabase.kind === 'postgres' ? testDatabase.url : '' });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from connections where id = $1 for update', [toUuid(connectionId)]);
    const waiting = () =>
      numbers.on.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'update connections'`,
      );
    numbers.peer.close(number, 428);
    await expect.poll(waiting).toHaveLength(1);
    await numbers.untilSession(connectionId, ({ is_open }) => is_open === true);
    await expect.poll(async () => (await numbers.send(customer, newNumber())).status).toBe('sent');
    expect(await waiting()).toHaveLength(1);
    await holder.query('commit');
    await holder.end();
    await expect.poll(health).toEqual([{ health: 'up' }]);
  });
});

describe.skipIf(isAlone)('a session whose gateway stops', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  test('is taken over by what is stored', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const other = await numbers.openOther();
    const before = numbers.peer.logins.get(number) ?? 0;
    const { owner } = await numbers.session(connectionId);
    await numbers.on.app.stop();
    await numbers.peer.until(() => ((numbers.peer.logins.get(number) ?? 0) > before ? true : null));
    const provider = other.services.providers.of(connectionId);
    expect(provider).not.toBeNull();
    expect(numbers.peer.socketsOf(number)).toBe(1);
    const [row] = await runSql<{ owner: string }>(other.services.database.sql(), 'select owner from chat_sessions', []);
    expect(row?.owner).not.toBe(owner);
  });
});
