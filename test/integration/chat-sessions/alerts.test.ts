import { describe, expect, test } from 'vitest';
import { watchAlerts } from '../../../src/modules/alerts/watch-alerts.ts';
import { missingLibrary } from '../../support/chat-qr/peer-library.ts';
import { newNumber, setUpNumbers } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpOwnCustomer } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';

const RULE = `mutation ($kind: AlertKind!) {
  createAlertRule(input: { kind: $kind, lastingMinutes: 0 }) { id }
}`;

describe.skipIf(missingLibrary() !== null)('an alert of a QR-linked number', () => {
  const numbers = setUpNumbers();
  const customer = setUpOwnCustomer(numbers.on);

  async function watch(kind: 'CONNECTION_DOWN' | 'NUMBER_LOCKED'): Promise<void> {
    const { errors } = await numbers.on.graphql(RULE, {
      token: customer.tokens.management,
      variables: { kind },
    });
    expect(errors).toBeNull();
  }

  /** The kinds of what was told once everything was looked at. */
  async function told(): Promise<readonly string[] | undefined> {
    await watchAlerts(numbers.on.app.makeCtx(OPERATOR, 'test'));
    const { data } = await numbers.on.graphql<{ alerts: { nodes: { raised: boolean; text: string }[] } }>(
      '{ alerts(first: 20) { nodes { raised text } } }',
      { token: customer.tokens.management },
    );
    return data?.alerts.nodes.map(({ text }) => text);
  }

  test.each([
    [401, 'relink'],
    [403, 'banned'],
  ])('tells after the code %i that its connection is down: %s', async (code, state) => {
    const { connectionId, number } = await numbers.link(customer);
    // After that: until it is linked it is down, which the job of a minute that begins then would tell.
    await watch('CONNECTION_DOWN');
    expect(await told()).toEqual([]);
    numbers.peer.refuseLogins(number, code);
    numbers.peer.close(number, code);
    await numbers.untilSession(connectionId, ({ state: is }) => is === state);
    await expect.poll(told).toEqual(['The connection Linked is down.']);
  });

  test('tells that the server has locked it', async () => {
    await watch('NUMBER_LOCKED');
    await numbers.link(customer);
    const stranger = newNumber();
    numbers.peer.acknowledge(stranger, { refusedBy: '463' });
    await numbers.send(customer, stranger);
    await expect.poll(told).toEqual(['The number of Linked is locked: WhatsApp lets it write to nobody new.']);
  });
});
