import { parse, subscribe } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { InboundFilter } from '../../../src/modules/inbound/inbound-filter.input.ts';
import { listInbound } from '../../../src/modules/inbound/list-inbound.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { addPerson, openPage } from '../../support/people/people.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const REPLY = `mutation ($input: SandboxReplyInput!) {
  sandboxReply(input: $input) { messageId channel type from fromUserId username to text replyTo receivedAt }
}`;

const reply = (input: object, token = customer.tokens.unified) =>
  on.graphql<{ sandboxReply: Record<string, unknown> }>(REPLY, { token, variables: { input } });

const LIST = `query ($filter: InboundFilter) {
  inboundMessages(filter: $filter) { nodes { messageId from fromUserId text } }
}`;

const list = (call: object) =>
  on.graphql<{ inboundMessages: { nodes: Record<string, unknown>[] } }>(LIST, {
    token: customer.tokens.unified,
    ...call,
  });

describe('a phone of the sandbox', () => {
  test('answers the text that it got', async () => {
    const sent = await on.rest('POST', '/api/sms/send', {
      token: customer.tokens.sms,
      body: { to: '+12025550142', text: 'Shall we come?', sender: 'ACME' },
    });
    const { data } = await reply({ phone: '+12025550142', to: 'ACME', text: 'Yes, please.' });
    expect(data?.sandboxReply).toEqual({
      messageId: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      channel: 'SMS',
      type: 'text',
      from: '12025550142',
      fromUserId: null,
      username: null,
      to: 'ACME',
      text: 'Yes, please.',
      replyTo: sent.body.data?.messageId,
      receivedAt: expect.any(String),
    });
  });

  test('writes to a chat number by its channel', async () => {
    const { data } = await reply({ phone: '12025550142', to: '+1 555 000 0001', text: 'Hello' });
    expect(data?.sandboxReply).toMatchObject({ channel: 'CHAT_QR', to: '15550000001', replyTo: null });
  });

  test.each([
    ['phone', { phone: '1', to: 'ACME', text: 'Hello' }],
    ['to', { phone: '+12025550142', to: 'NOBODY', text: 'Hello' }],
    ['text', { phone: '+12025550142', to: 'ACME', text: '' }],
  ])('is refused a wrong %s', async (field, input) => {
    expect((await reply(input)).errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field }] } }]);
  });
});

describe('what came in', () => {
  const write = async (from: string, to = 'ACME') =>
    (await reply({ phone: from, to, text: `From ${from}` })).data?.sandboxReply.messageId;

  test('is listed for its account alone, the newest first', async () => {
    const ids = [await write('+12025550142'), await write('+12025550143')];
    const { data } = await list({});
    expect(data?.inboundMessages.nodes.map(({ messageId }) => messageId)).toEqual(ids.reverse());
    const stranger = await on.customer();
    expect((await list({ token: stranger.tokens.management })).data?.inboundMessages.nodes).toEqual([]);
  });

  test.each<[string, InboundFilter, number]>([
    ['its person', { recipient: '+1 202 555 0142' }, 1],
    ['its person, as dialled abroad', { recipient: '0012025550142' }, 1],
    ['its sender', { sender: '+15550000001' }, 1],
    ['its channel', { channel: 'chat_qr' }, 1],
    ['its time', { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) }, 2],
    ['a time before', { to: new Date(0) }, 0],
  ])('is found by %s', async (_name, filter, count) => {
    await write('+12025550142');
    await write('+12025550143', '15550000001');
    const ctx = on.app.makeCtx(customer.actor('unified'), 'test');
    expect((await listInbound(ctx, { filter })).rows).toHaveLength(count);
  });

  test('is not in the log of REST, whose types are documented', async () => {
    await write('+12025550142');
    const { body } = await on.rest('GET', '/api/omni/logs', { token: customer.tokens.unified });
    expect(body.data?.logs).toEqual([]);
    const { data } = await on.graphql('{ logs { nodes { type status recipient sender } } }', {
      token: customer.tokens.unified,
    });
    expect(data).toMatchObject({
      logs: { nodes: [{ type: 'INBOUND', status: 'RECEIVED', recipient: '12025550142' }] },
    });
  });

  test('is not among the sends', async () => {
    await write('+12025550142');
    const { data } = await on.graphql('{ sends { nodes { id } } }', { token: customer.tokens.unified });
    expect(data).toEqual({ sends: { nodes: [] } });
  });

  test('is followed from now on, by filter', async () => {
    const token = await customer.holder('unified');
    const end = new AbortController();
    const contextValue = { ...on.app.makeCtx(token, 'test'), signal: end.signal };
    const document = parse('subscription { inboundMessageAdded(filter: { recipient: "+12025550143" }) { from text } }');
    const feed = await subscribe({ schema: on.app.schema, document, contextValue });
    if (!(Symbol.asyncIterator in feed)) throw new Error(JSON.stringify(feed));
    await write('+12025550142');
    await write('+12025550143');
    expect((await feed.next()).value).toEqual({
      data: { inboundMessageAdded: { from: '12025550143', text: 'From +12025550143' } },
    });
    end.abort();
  });
});

describe('to people', () => {
  const read = async (role: 'support' | 'viewer', filter?: object) => {
    const headers = await openPage(on, await addPerson(on, customer.accountId, role));
    return list({ token: null, headers, variables: { filter } });
  };
  const write = async () => {
    const bringer = { id: null, accountId: customer.accountId, providerId: 'sandbox', channel: 'sms' } as const;
    const message = { providerMessageId: null, from: '12025550142', to: 'ACME', type: 'text', text: 'Hello' };
    await receiveInbound(on.app.makeCtx(OPERATOR, 'test'), bringer, [message, { ...message, from: 'US.1349' }]);
  };

  test('who may read texts it is shown whole', async () => {
    await write();
    expect((await read('support')).data?.inboundMessages.nodes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ from: '12025550142', fromUserId: null, text: 'Hello' }),
        expect.objectContaining({ from: null, fromUserId: 'US.1349', text: 'Hello' }),
      ]),
    );
  });

  test('the log finds people without a number by the id of their channel', async () => {
    await write();
    const { data, errors } = await on.graphql(
      '{ logs(filter: { recipient: "US.1349" }) { nodes { type recipient } } }',
      {
        token: customer.tokens.unified,
      },
    );
    expect([data, errors]).toEqual([{ logs: { nodes: [{ type: 'INBOUND', recipient: 'US.1349' }] } }, null]);
  });

  test('who may not it is shown without text and name, with its number masked', async () => {
    await write();
    expect((await read('viewer')).data?.inboundMessages.nodes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ from: '1••••••••42', fromUserId: null, text: null }),
        expect.objectContaining({ from: null, fromUserId: null, text: null }),
      ]),
    );
    expect((await read('viewer', { recipient: '+12025550142' })).errors).toMatchObject([
      { extensions: { code: 'WRONG_AREA' } },
    ]);
  });
});
