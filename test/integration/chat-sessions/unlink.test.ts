import { describe, expect, test } from 'vitest';
import type { App } from '../../../src/app.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { acceptRisks, connectNumber, lastOf, linkNumber, unlinkNumber } from '../../support/chat-qr/linked.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';

describe.skipIf(missingLibrary() !== null)('a QR-linked number without an open socket', () => {
  const numbers = setUpNumbers();
  const { on } = numbers;
  const customer = setUpOwnCustomer(on);

  /** Unlinks a number that the server lets in again, and expects nothing to be left of it. */
  async function expectUnlinked(app: App, connectionId: string, number: string): Promise<void> {
    numbers.peer.refuseLogins(number, 0);
    await unlinkNumber({ app }, connectionId);
    await numbers.peer.until(() => (numbers.peer.devicesOf(number) === 0 ? true : null));
    await numbers.peer.until(() => (numbers.peer.socketsOf(number) === 0 ? true : null));
    expect(await numbers.session(connectionId)).toMatchObject({ state: 'unlinked', creds: null, owner: null });
    const kept = 'select 1 from chat_session_keys where connection_id = $1';
    expect(await on.sql(kept, [toUuid(connectionId)])).toEqual([]);
  }

  /** Has a phone take the code of a number, which the server does not let in yet. */
  async function pair() {
    const number = newNumber();
    const connectionId = await connectNumber(on, customer.accountId, { number });
    await acceptRisks(on, connectionId);
    numbers.peer.refuseLogins(number, 503);
    const linking = linkNumber(on.app, numbers.peer, connectionId, number);
    await numbers.peer.until(() => (numbers.peer.devicesOf(number) === 1 ? true : null));
    return { connectionId, number, linking };
  }

  /** Links a number whose socket the server closes, and does not open again. */
  async function linkClosed() {
    const { connectionId, number } = await numbers.link(customer);
    numbers.peer.refuseLogins(number, 503);
    numbers.peer.close(number, 503);
    await numbers.untilSession(connectionId, ({ is_open }) => is_open === false);
    return { connectionId, number };
  }

  test('leaves no device on its phone when it is unlinked before its socket was open', async () => {
    const { connectionId, number, linking } = await pair();
    await expectUnlinked(on.app, connectionId, number);
    expect(lastOf(await linking)).toBe('FAILED');
  });

  test('leaves no device on its phone when it is unlinked before it is opened again', async () => {
    const { connectionId, number } = await linkClosed();
    await expectUnlinked(on.app, connectionId, number);
  });

  test('is unlinked at once, and linked anew after its phone was told', async () => {
    const { connectionId, number } = await linkClosed();
    await unlinkNumber({ app: on.app }, connectionId);
    expect(await numbers.session(connectionId)).toMatchObject({ state: 'unlinked', creds: null, owner: null });
    expect(numbers.peer.devicesOf(number)).toBe(1);
    const linking = linkNumber(on.app, numbers.peer, connectionId, number);
    numbers.peer.refuseLogins(number, 0);
    expect(lastOf(await linking)).toBe('LINKED');
    expect(numbers.peer.devicesOf(number)).toBe(1);
  });

  test.skipIf(process.env.TEST_DATABASE === 'pglite')(
    'leaves no device on its phone when another gateway unlinks it',
    async () => {
      const { connectionId, number } = await linkClosed();
      await expectUnlinked(await numbers.openOther(), connectionId, number);
    },
  );
});
