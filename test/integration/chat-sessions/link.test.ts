import { describe, expect, test } from 'vitest';
import type { LinkStep } from '../../../src/channels/session.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { acceptRisks, connectNumber, followLink, lastOf, linkNumber } from '../../support/chat-qr/linked.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

describe.skipIf(missingLibrary() !== null)('a QR-linked number', () => {
  const numbers = setUpNumbers();
  const { on } = numbers;
  const customer = setUpOwnCustomer(on);

  test('cannot be linked before somebody accepted its risks by name', async () => {
    const connectionId = await connectNumber(on, customer.accountId, { number: newNumber() });
    await expect(followLink(on.app, connectionId, 'QR').next()).rejects.toThrow('acceptChatRisks first');
    await acceptRisks(on, connectionId);
    const { data } = await on.graphql<{ auditEntries: { nodes: { action: string; details: object }[] } }>(
      '{ auditEntries(first: 1) { nodes { action details } } }',
      { token: OPERATOR_TOKEN },
    );
    expect(data?.auditEntries.nodes).toEqual([
      { action: 'connection.risks_accepted', details: { name: 'Ada Lovelace' } },
    ]);
  });

  test('keeps the name of the first who accepted its risks', async () => {
    const connectionId = await connectNumber(on, customer.accountId, { number: newNumber() });
    await acceptRisks(on, connectionId);
    await acceptRisks(on, connectionId, 'Grace Hopper');
    expect(await numbers.session(connectionId)).toMatchObject({ risks_accepted_by: 'Ada Lovelace' });
  });

  test.each(['QR', 'PAIRING_CODE'] as const)('is linked by %s, and sends', async method => {
    const number = newNumber();
    const connectionId = await connectNumber(on, customer.accountId, { number });
    await acceptRisks(on, connectionId);
    const steps = await linkNumber(on.app, numbers.peer, connectionId, number, method);
    expect(steps.map(({ state }) => state)).toEqual(['CODE', 'LINKED']);
    expect(steps[0]?.picture?.startsWith('<svg') ?? false).toBe(method === 'QR');
    const to = newNumber();
    const sent = await numbers.send(customer, to, { text: 'Your parcel is there' });
    expect(sent).toMatchObject({ status: 'sent', attempts: [{ channel: 'CHAT_QR', errorCode: null }] });
    expect(numbers.peer.messages.at(-1)).toMatchObject({ from: number, to, text: 'Your parcel is there' });
    const own = await numbers.send(customer, to, { chatFrom: number });
    expect(own.status).toBe('sent');
  });

  test('of Mexico is linked, also where the chat writes it with the 1 that is not dialled any more', async () => {
    const connectionId = await connectNumber(on, customer.accountId, { number: '+52 55 1234 0002' });
    await acceptRisks(on, connectionId);
    expect(lastOf(await linkNumber(on.app, numbers.peer, connectionId, '5215512340002'))).toBe('LINKED');
  });

  test('is linked by the second method while the first one is not left yet', async () => {
    const number = newNumber();
    const connectionId = await connectNumber(on, customer.accountId, { number });
    await acceptRisks(on, connectionId);
    const first = followLink(on.app, connectionId, 'QR');
    expect((await first.next()).value).toMatchObject({ state: 'CODE' });
    const steps = await linkNumber(on.app, numbers.peer, connectionId, number, 'PAIRING_CODE');
    expect(steps.map(({ state }) => state)).toEqual(['CODE', 'LINKED']);
    expect((await first.next()).value).toMatchObject({
      state: 'FAILED',
      error: 'Another link of this number was begun.',
    });
  });

  test('is linked by the last of those who begin at once, and the others are told', async () => {
    const number = newNumber();
    const connectionId = await connectNumber(on, customer.accountId, { number });
    await acceptRisks(on, connectionId);
    const links = [0, 1, 2].map(() => on.app.services.sessions.link(connectionId, 'QR', AbortSignal.timeout(60_000)));
    const steps = await Promise.all(links.map(async link => (await link.next()).value as LinkStep));
    const told = { state: 'failed', error: 'Another link of this number was begun.' };
    expect(steps).toMatchObject([told, told, { state: 'code' }]);
    numbers.peer.scan(number, steps[2]?.code ?? '');
    expect(await links[2]?.next()).toMatchObject({ value: { state: 'linked' } });
    expect(numbers.peer.socketsOf(number)).toBe(1);
    expect(await numbers.send(customer, newNumber(), { chatFrom: number })).toMatchObject({ status: 'sent' });
  });

  test('is linked by the first link where the follower of the next one leaves before that begins', async () => {
    const number = newNumber();
    const connectionId = await connectNumber(on, customer.accountId, { number });
    await acceptRisks(on, connectionId);
    const first = followLink(on.app, connectionId, 'QR');
    const code = (await first.next()).value?.code ?? '';
    await on.app.services.sessions.link(connectionId, 'QR', AbortSignal.abort()).next();
    numbers.peer.scan(number, code);
    expect((await first.next()).value).toMatchObject({ state: 'LINKED' });
  });

  /** Connects a number once more. */
  async function connectAgain(accountId: string, number: string): Promise<string> {
    const connectionId = await connectNumber(on, accountId, { number });
    await acceptRisks(on, connectionId);
    return connectionId;
  }

  test('is linked by one connection, and the next one says by which', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const link = followLink(on.app, await connectAgain(customer.accountId, number), 'QR');
    expect((await link.next()).value).toMatchObject({
      state: 'FAILED',
      error: `The number is linked by the connection Linked (${connectionId}). Unlink it there first.`,
    });
    expect([numbers.peer.socketsOf(number), numbers.peer.devicesOf(number)]).toEqual([1, 1]);
  });

  test('of another account is linked by one connection, which the next one does not name', async () => {
    const { number } = await numbers.link(customer);
    const other = await on.customer();
    const link = followLink(on.app, await connectAgain(other.accountId, number), 'QR');
    expect((await link.next()).value).toMatchObject({
      state: 'FAILED',
      error: 'The number is linked by another connection. Unlink it there first.',
    });
  });

  test('is linked by another connection where the release before has removed the one with it, and left its session', async () => {
    const [removed, number] = [toUuid(newId('con')), newNumber()];
    await on.sql(
      `insert into connections (id, provider, channel, name, config, config_key_id, created_at, updated_at, removed_at)
       values ($1, 'chat-qr', 'chat_qr', 'Removed', '', '00000000', now(), now(), now())`,
      [removed],
    );
    await on.sql(
      `insert into chat_sessions (connection_id, state, state_since, number, creds, creds_key_id, linked_at)
       values ($1, 'linked', now(), $2, 'creds', '00000000', now())`,
      [removed, number],
    );
    await on.sql(`insert into chat_session_keys values ($1, 'session', '1', 'value', '00000000')`, [removed]);
    const connectionId = await connectAgain(customer.accountId, number);
    expect(lastOf(await linkNumber(on.app, numbers.peer, connectionId, number))).toBe('LINKED');
    expect(await on.sql('select 1 from chat_session_keys where connection_id = $1', [removed])).toEqual([]);
  });

  test('that is linked by two connections at once is linked by the first, and leaves no second device', async () => {
    const { accountId } = customer;
    const number = newNumber();
    const [first, second] = [await connectAgain(accountId, number), await connectAgain(accountId, number)];
    const late = followLink(on.app, second, 'QR');
    const code = (await late.next()).value?.code ?? '';
    expect((await linkNumber(on.app, numbers.peer, first, number)).at(-1)).toMatchObject({ state: 'LINKED' });
    numbers.peer.scan(number, code);
    expect((await late.next()).value).toMatchObject({ state: 'FAILED' });
    expect(await numbers.session(first)).toMatchObject({ state: 'linked' });
    expect(await numbers.session(second)).toMatchObject({ creds: null, owner: null });
    // The end of a socket reaches its phone's side a moment after the follower was told.
    await expect.poll(() => [numbers.peer.socketsOf(number), numbers.peer.devicesOf(number)]).toEqual([1, 1]);
  });

  test('becomes a sender of its account as it opens, also where the process that linked it died before that', async () => {
    const { number } = await numbers.link(customer);
    const senders = () =>
      on.sql('select approved_at is not null as approved from senders where account_id = $1 and address = $2', [
        toUuid(customer.accountId),
        number,
      ]);
    expect(await senders()).toEqual([{ approved: true }]);
    await on.sql('delete from senders where address = $1', [number]);
    numbers.peer.close(number, 428);
    await expect.poll(senders).toEqual([{ approved: true }]);
  });

  test('that is unlinked says so on its connection', async () => {
    const { connectionId } = await numbers.link(customer);
    await numbers.on.graphql('mutation ($id: String!) { unlinkConnection(connectionId: $id) { connectionId } }', {
      token: OPERATOR_TOKEN,
      variables: { id: connectionId },
    });
    await expect
      .poll(() => on.sql('select health_error from connections where id = $1', [toUuid(connectionId)]))
      .toEqual([{ health_error: expect.stringContaining('is not linked') }]);
  });
});
