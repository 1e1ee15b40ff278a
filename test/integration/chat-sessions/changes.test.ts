import { describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { linkNumber, unlinkNumber } from '../../support/chat-qr/linked.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

describe.skipIf(missingLibrary() !== null)('the connection of a linked number', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  async function change(mutation: string, variables: object): Promise<void> {
    const { errors } = await numbers.on.graphql(mutation, { token: OPERATOR_TOKEN, variables: { ...variables } });
    expect(errors).toBeNull();
  }

  const update = (input: object) =>
    change('mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }', { input });

  const keysOf = (connectionId: string) =>
    numbers.on.sql('select 1 from chat_session_keys where connection_id = $1 limit 1', [toUuid(connectionId)]);

  test('stays linked while it is paused, and takes what people write', async () => {
    const { connectionId, number } = await numbers.link(customer);
    await update({ connectionId, paused: true });
    const from = newNumber();
    await numbers.peer.write(from, number, { conversation: 'Still there?' }, { by: 'both' });
    await expect
      .poll(() => numbers.on.sql('select text from inbound_messages where from_number = $1', [from]))
      .toEqual([{ text: 'Still there?' }]);
    expect(numbers.peer.socketsOf(number)).toBe(1);
  });

  test('is to be linked again when its number was changed', async () => {
    const { connectionId, number } = await numbers.link(customer);
    await update({ connectionId, config: { number: newNumber() } });
    const row = await numbers.untilSession(connectionId, ({ state }) => state === 'relink');
    expect(row).toMatchObject({ error: 'The number of the connection was changed. Link its phone.', creds: null });
    expect(await keysOf(connectionId)).toEqual([]);
    await expect.poll(() => numbers.peer.socketsOf(number)).toBe(0);
  });

  test.each([
    ['starts anew with another number, which knows nobody, has its whole pace and no lock', true],
    ['goes on where the same number is linked again: with whom it met, its turns and its lock', false],
  ])('%s', async (_what, isOther) => {
    const { connectionId, number } = await numbers.link(customer);
    await numbers.send(customer, newNumber());
    await numbers.on.sql(
      `update chat_sessions set locked_since = now(), locked_until = now() + interval '1 day' where connection_id = $1`,
      [toUuid(connectionId)],
    );
    const known = () =>
      numbers.on.sql(
        `select cardinality(turns) as turns, locked_until is not null as locked,
          (select count(*)::int from chat_contacts c where c.connection_id = s.connection_id) as met
         from chat_sessions s where connection_id = $1`,
        [toUuid(connectionId)],
      );
    const before = await known();
    expect(before).toMatchObject([{ turns: 1, locked: true, met: 1 }]);
    const next = isOther ? newNumber() : number;
    if (isOther) await update({ connectionId, config: { number: next } });
    else await unlinkNumber(numbers.on, connectionId);
    await numbers.untilSession(connectionId, ({ state, owner }) => state !== 'linked' && owner === null);
    expect(await known()).toEqual(before);
    await linkNumber(numbers.on.app, numbers.peer, connectionId, next);
    expect(await known()).toEqual(isOther ? [{ turns: 0, locked: false, met: 0 }] : before);
  });

  test('keeps its phone where its config cannot be read any more', async () => {
    const { connectionId, number } = await numbers.link(customer);
    await numbers.on.sql(`update connections set config_key_id = 'deadbeef' where id = $1`, [toUuid(connectionId)]);
    await numbers.on.app.services.providers.refresh();
    await expect.poll(() => numbers.peer.socketsOf(number)).toBe(0);
    expect(await numbers.session(connectionId)).toMatchObject({ state: 'linked' });
    expect(numbers.peer.devicesOf(number)).toBe(1);
  });

  test('goes on with the same phone when its pace was changed', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const before = numbers.peer.logins.get(number) ?? 0;
    await update({ connectionId, config: { number, perMinute: 60, newPeoplePerDay: 500 } });
    await numbers.peer.until(() => ((numbers.peer.logins.get(number) ?? 0) > before ? true : null));
    await numbers.untilSession(connectionId, ({ is_open }) => is_open === true);
    expect((await numbers.send(customer, newNumber())).attempts).toMatchObject([{ status: 'sent' }]);
  });

  test('is unlinked when it is removed, and its keys are forgotten', async () => {
    const { connectionId, number } = await numbers.link(customer);
    await change('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', { id: connectionId });
    await numbers.untilSession(connectionId, ({ state }) => state === 'unlinked');
    expect(await keysOf(connectionId)).toEqual([]);
    await expect.poll(() => numbers.peer.socketsOf(number)).toBe(0);
    await expect.poll(() => numbers.peer.devicesOf(number)).toBe(0);
  });

  test('leaves no keys when it is removed while nobody owns its session', async () => {
    const { connectionId, number } = await numbers.link(customer);
    numbers.peer.refuseLogins(number, 403);
    numbers.peer.close(number, 403);
    await numbers.untilSession(connectionId, ({ state }) => state === 'banned');
    await change('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', { id: connectionId });
    expect(await numbers.session(connectionId)).toMatchObject({ state: 'unlinked', creds: null, owner: null });
    expect(await keysOf(connectionId)).toEqual([]);
  });
});

const isAlone = missingLibrary() !== null || process.env.TEST_DATABASE === 'pglite';

describe.skipIf(isAlone)('a linked number of another gateway', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  test('is unlinked by the one that holds its socket', async () => {
    const { connectionId, number } = await numbers.link(customer);
    const other = await numbers.openOther();
    await unlinkNumber({ app: other }, connectionId);
    await expect.poll(() => numbers.peer.devicesOf(number)).toBe(0);
    expect(await numbers.session(connectionId)).toMatchObject({ state: 'unlinked', creds: null, owner: null });
  });
});
