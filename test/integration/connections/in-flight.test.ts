import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/kernel/ids.ts';
import { removeConnection } from '../../../src/modules/chat-sessions/linking/link-connection.ts';
import { createConnection, updateConnection } from '../../../src/modules/connections/manage-connections.ts';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { oncePerTest, setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { OPERATOR } from '../../support/services.ts';
import { openStrictSmsc } from '../../support/smpp/strict-smsc.ts';

const on = setUpApp({ env: { SANDBOX: 'off' } });
const customer = setUpOwnCustomer(on);
beforeAll(async () => void (await on.app.start()));

/** The other end of a connection, which holds its answers back. */
interface Peer {
  readonly config: Record<string, unknown>;
  /** Waits until it has the first text. */
  taken(): Promise<unknown>;
  /** Accepts it. */
  accept(): void;
  /** How many texts it was given. */
  texts(): number;
  close(): Promise<void>;
}

async function openHttpPeer(): Promise<Peer> {
  const gateway = await openHttpGateway();
  const held = Promise.withResolvers<ServerResponse>();
  let first: ServerResponse | null = null;
  gateway.answerWith((_message, response) => {
    first ??= response;
    held.resolve(response);
  });
  return {
    config: gateway.config,
    taken: () => held.promise,
    accept: () => first?.writeHead(202).end('id=gw-1'),
    texts: () => gateway.messages.length,
    close: () => gateway.close(),
  };
}

async function openSmppPeer(): Promise<Peer> {
  const smsc = await openStrictSmsc();
  smsc.hold();
  return {
    config: { host: '127.0.0.1', port: smsc.port, systemId: 'gateway', password: 'secret' },
    taken: () => smsc.submitted(1),
    accept: () => smsc.release(),
    texts: () => smsc.texts,
    close: async () => smsc[Symbol.asyncDispose](),
  };
}

const operator = () => on.app.makeCtx(OPERATOR, 'test');

const send = async () => {
  const body = { to: `+${newRecipient()}`, text: 'Hello', sender: 'ACME' };
  return (await on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body })).body.data;
};

const attemptsOf = (messageId: unknown) =>
  on.sql('select connection_id, status, error_code, credits from attempts where message_id = $1', [
    toUuid(String(messageId)),
  ]);

describe.each([
  ['http-sms', openHttpPeer],
  ['smpp', openSmppPeer],
] as const)('a text that is in flight by %s', (provider, open) => {
  const peer = oncePerTest(open, ({ close }) => close());

  test.each([
    ['removed', (id: string) => removeConnection(operator(), id)],
    ['paused', (id: string) => updateConnection(operator(), { connectionId: id, paused: true })],
  ] as const)(
    'when its connection is %s is accepted and paid, and the next one is not handed to it',
    async (_what, end) => {
      const { id } = await createConnection(operator(), {
        accountId: customer.accountId,
        provider,
        channel: 'sms',
        name: 'Carrier',
        config: peer.config,
      });
      const sent = send();
      await peer.taken();
      await end(id);
      const after = await send();
      expect(after).toMatchObject({ status: 'failed', attempts: [{ errorCode: 'no_route', credits: 0 }] });
      peer.accept();
      const message = await sent;
      expect(message).toMatchObject({ status: 'sent', attempts: [{ provider, status: 'sent', credits: 1 }] });
      expect(await attemptsOf(message?.messageId)).toEqual([
        { connection_id: toUuid(id), status: 'sent', error_code: null, credits: 1 },
      ]);
      expect(await send()).toMatchObject({ status: 'failed', attempts: [{ errorCode: 'no_route', credits: 0 }] });
      expect(peer.texts()).toBe(1);
      const account = await on.sql('select credits, held from accounts where id = $1', [toUuid(customer.accountId)]);
      expect(account).toEqual([{ credits: 999_999, held: 0 }]);
    },
  );
});
