import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { removeConnection } from '../../../../src/modules/chat-sessions/linking/link-connection.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { OPERATOR } from '../../../support/services.ts';
import { signedCall } from '../../../support/whatsapp/caller.ts';
import { type Connected, callIn, connectCloud } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { Graph } from '../../../support/whatsapp/graph.ts';
import { type GraphNumber, type ReportedStatus, userIdOf } from '../../../support/whatsapp/options.ts';
import {
  accountChange,
  callOf,
  messageChange,
  newWamid,
  statusChange,
  userIdChange,
} from '../../../support/whatsapp/payloads.ts';
import { WITHOUT_PHONE } from '../../../support/whatsapp/rehearsals.ts';
import * as said from '../../../support/whatsapp/said.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on, {
  senders: [
    { channel: 'chat_cloud', address: GRAPH_NUMBER.displayNumber, isDefault: true, templateRequired: false },
    { channel: 'sms', address: 'ACME', isDefault: true },
  ],
});
/** Another number of the same app, which no other test connects. */
let second: GraphNumber;
let graph: Graph;
let cloud: Connected;

beforeEach(async () => {
  second = { ...GRAPH_NUMBER, phoneNumberId: newRecipient(), businessAccountId: '202290129340398' };
  graph = await new Graph({ numbers: [GRAPH_NUMBER, second], templates: [HELLO_TEMPLATE] }).open();
  cloud = await connectCloud(on, customer.accountId, graph);
  callIn(on, graph, cloud);
  return () => graph.close();
});

const person = () => {
  const number = newRecipient();
  return { number, userId: userIdOf(number), username: '@ann', name: 'Ann' };
};

/** Sends one message and answers its id at Meta. */
async function send(more: object = {}, token = customer.tokens.unified): Promise<string> {
  const body = { to: `+${newRecipient()}`, text: 'Hello', cloudTemplate: { name: 'hello', language: 'en' }, ...more };
  const { body: answer } = await on.rest('POST', '/api/omni/send', {
    token,
    body: { ...body, channels: ['chat_cloud'] },
  });
  expect(answer.data).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  return graph.sent.at(-1)?.wamid ?? '';
}

async function attempt(accountId = customer.accountId) {
  const [row] = await on.sql<{ status: string; error_code: string | null; pricing: { category: string } | null }>(
    `select status, error_code, pricing from attempts where account_id = $1 order by id desc limit 1`,
    [toUuid(accountId)],
  );
  return row;
}

const received = async () => {
  const { data } = await on.graphql<{ inboundMessages: { nodes: Record<string, string | null>[] } }>(
    '{ inboundMessages { nodes { messageId from fromUserId username to type text replyTo } } }',
    { token: customer.tokens.unified },
  );
  return data?.inboundMessages.nodes ?? [];
};

describe('the address of callbacks', () => {
  test('is proven to Meta by the verify token, and to nobody else', async () => {
    const ask = (verifyToken: string) => {
      const query = { 'hub.mode': 'subscribe', 'hub.verify_token': verifyToken, 'hub.challenge': '1158201444' };
      return on.rest('GET', `${cloud.path}?${new URLSearchParams(query)}`);
    };
    expect(await ask(graph.verifyToken)).toMatchObject({ status: 200, text: '1158201444' });
    expect(await ask('another-token')).toMatchObject({ status: 403 });
  });

  test('takes nothing that another secret has signed, or that was changed behind the signature', async () => {
    await send();
    const [sent] = graph.sent;
    const change = sent && statusChange(sent, { status: 'delivered' }, Date.now());
    const body = JSON.stringify(callOf({ id: GRAPH_NUMBER.businessAccountId, changes: change ? [change] : [] }));
    const forged = signedCall('another-secret', body);
    expect(await on.rest('POST', cloud.path, forged)).toMatchObject({ status: 403 });
    const changed = { ...signedCall(graph.appSecret, body), body: body.replace('delivered', 'read') };
    expect(await on.rest('POST', cloud.path, changed)).toMatchObject({ status: 403 });
    expect(await attempt()).toMatchObject({ status: 'sent' });
    expect(await on.rest('POST', cloud.path, signedCall(graph.appSecret, body))).toMatchObject({
      status: 200,
      text: '',
    });
    expect(await attempt()).toMatchObject({ status: 'delivered' });
  });
});

describe('statuses', () => {
  test.each<[string, ReportedStatus[], string, string | null]>([
    ['in order', [{ status: 'sent' }, { status: 'delivered' }, { status: 'read' }], 'read', null],
    ['with read before delivered', [{ status: 'read' }, { status: 'delivered' }], 'read', null],
    ['with delivered after failed', [{ status: 'failed', code: 131026 }, { status: 'delivered' }], 'delivered', null],
    ['with failed after delivered', [{ status: 'delivered' }, { status: 'failed', code: 131026 }], 'delivered', null],
    ['each twice', [{ status: 'sent' }, { status: 'sent' }, { status: 'read' }, { status: 'read' }], 'read', null],
    ['with a failure', [{ status: 'failed', code: 131049 }], 'failed', 'whatsapp_131049'],
  ])('%s raise the status and never lower it', async (_what, statuses, status, code) => {
    const wamid = await send();
    for (const one of statuses) expect(await graph.tell(wamid, one)).toBe(200);
    expect(await attempt()).toMatchObject({ status, error_code: code });
  });

  test('say what is charged, as the last one that tells it', async () => {
    const wamid = await send();
    await graph.tell(wamid, { status: 'sent', pricing: { category: 'marketing' } });
    await graph.tell(wamid, { status: 'delivered', pricing: { billable: false, category: 'utility' } });
    await graph.tell(wamid, 'read');
    expect(await attempt()).toMatchObject({
      status: 'read',
      pricing: { billable: false, pricing_model: 'PMP', type: 'regular', category: 'utility' },
    });
  });

  test('keep the price of one that a higher status has overtaken', async () => {
    const wamid = await send();
    await graph.tell(wamid, { status: 'read', pricing: null });
    await graph.tell(wamid, { status: 'delivered', pricing: { category: 'utility' } });
    expect(await attempt()).toMatchObject({ status: 'read', pricing: { category: 'utility' } });
  });

  test('of an unknown message, number and kind are answered 200', async () => {
    const [known, unknown] = [await send(), { ...GRAPH_NUMBER, phoneNumberId: '9' }];
    const [sent] = graph.sent;
    if (!sent) return expect.fail('nothing was sent');
    const changes = [
      statusChange(
        { ...sent, wamid: newWamid(), body: { ...sent.body, biz_opaque_callback_data: 'x' } },
        { status: 'read' },
        1,
      ),
      statusChange({ ...sent, number: unknown }, { status: 'failed' }, 1),
      accountChange(),
      { field: 'hologram', value: { a: 1 } },
      statusChange(sent, { status: 'delivered' }, 1),
    ];
    expect(await graph.call(GRAPH_NUMBER, ...changes)).toBe(200);
    expect(await attempt()).toMatchObject({ status: 'delivered' });
    expect(known).toBe(sent.wamid);
  });
});

test('a call of very many statuses is taken as one', async () => {
  const wamid = await send();
  const [sent] = graph.sent;
  if (!sent) return expect.fail('nothing was sent');
  const others = Array.from({ length: 2_000 }, () =>
    statusChange({ ...sent, wamid: newWamid() }, { status: 'sent' }, 1),
  );
  expect(await graph.call(GRAPH_NUMBER, ...others, statusChange(sent, { status: 'delivered' }, 1))).toBe(200);
  expect(wamid).toBe(sent.wamid);
  expect(await attempt()).toMatchObject({ status: 'delivered' });
});

test('a number that is connected anew is told at the address of before, and so are its former messages', async () => {
  const former = await send();
  await removeConnection(on.app.makeCtx(OPERATOR, 'test'), cloud.connectionId);
  await connectCloud(on, customer.accountId, graph);
  const later = await send();
  for (const wamid of [former, later]) expect((await graph.tell(wamid, 'delivered')) ?? 200).toBe(200);
  await expect(
    on.sql('select status from attempts where account_id = $1', [toUuid(customer.accountId)]),
  ).resolves.toEqual([{ status: 'delivered' }, { status: 'delivered' }]);
});

describe('two numbers of one app', () => {
  test.each([
    ['the same secret: both are told at one address', true, 'delivered'],
    ['another secret: the address says nothing of the other', false, 'sent'],
  ])('with %s', async (_what, isSame, status) => {
    const other = await on.customer();
    const appSecret = isSame ? graph.appSecret : 'another-secret-of-the-graph';
    await connectCloud(on, other.accountId, graph, { number: second, appSecret });
    await send();
    await send({}, other.tokens.unified);
    const changes = graph.sent.map(sent => statusChange(sent, { status: 'delivered' }, Date.now()));
    const entries = graph.sent.map(({ number: { businessAccountId: id } }, index) => ({
      id,
      changes: changes.slice(index, index + 1),
    }));
    expect(await graph.post(callOf(...entries))).toBe(200);
    expect(graph.sent.map(({ number }) => number.phoneNumberId)).toEqual([
      GRAPH_NUMBER.phoneNumberId,
      second.phoneNumberId,
    ]);
    expect(await attempt()).toMatchObject({ status: 'delivered' });
    expect(await attempt(other.accountId)).toMatchObject({ status });
  });
});

describe('what people write', () => {
  test.each<[said.Said, string, string | null]>([
    [said.text('Yes, please.'), 'text', 'Yes, please.'],
    [said.image('Look'), 'image', 'Look'],
    [said.image(), 'image', null],
    [said.video('Look'), 'video', 'Look'],
    [said.audio(), 'audio', null],
    [said.document('a.pdf', 'Read'), 'document', 'Read'],
    [said.sticker(), 'sticker', null],
    [said.location('Philz Coffee'), 'location', 'Philz Coffee'],
    [said.position(), 'location', null],
    [said.contacts('12025550142'), 'contacts', null],
    [said.button('Tell me more', 'more'), 'button', 'Tell me more'],
    [said.buttonReply('At nine'), 'interactive', 'At nine'],
    [said.listReply('Priority'), 'interactive', 'Priority'],
    [said.reaction('wamid.1', '👍'), 'reaction', '👍'],
    [said.order(), 'order', ''],
    [said.unsupported(), 'unsupported', null],
    [said.unheardOf(), 'hologram', null],
  ])('%j arrives as %s', async (words, type, text) => {
    const ann = person();
    const id = await graph.write(ann, words);
    await graph.write(ann, words, { id });
    expect(graph.calls.map(({ status }) => status)).toEqual([200, 200]);
    const { number: from, userId: fromUserId, username } = ann;
    expect(await received()).toEqual([
      expect.objectContaining({ from, fromUserId, username, to: GRAPH_NUMBER.displayNumber, type }),
    ]);
    const [message] = await received();
    expect(message?.text || null).toBe(text || null);
  });

  test('names what it quotes, by our id', async () => {
    const ann = person();
    const wamid = await send({ to: `+${ann.number}` });
    await graph.write(ann, said.text('Yes'), { quotes: wamid });
    await graph.write(ann, said.reaction(wamid, '👍'));
    const [{ id } = { id: '' }] = await on.sql<{ id: string }>('select id from messages where account_id = $1', [
      toUuid(customer.accountId),
    ]);
    const replies = (await received()).map(({ replyTo }) => toUuid(replyTo ?? 'msg_'));
    expect(replies).toEqual([id, id]);
  });

  test('names what it quotes where the number was connected anew since', async () => {
    const ann = person();
    const wamid = await send({ to: `+${ann.number}` });
    await removeConnection(on.app.makeCtx(OPERATOR, 'test'), cloud.connectionId);
    cloud = await connectCloud(on, customer.accountId, graph);
    callIn(on, graph, cloud);
    await graph.write(ann, said.text('Yes'), { quotes: wamid });
    expect(await received()).toEqual([expect.objectContaining({ replyTo: expect.stringMatching(/^msg_/) })]);
  });

  test('comes from who shows no number, and is answered by the user id', async () => {
    const nobody = { number: null, userId: WITHOUT_PHONE, username: '@nobody' };
    await graph.write(nobody, said.text('When do you open?'));
    const [question] = await received();
    expect(question).toMatchObject({ from: null, fromUserId: WITHOUT_PHONE, username: '@nobody' });
    const { body } = await on.rest('POST', '/api/omni/send', {
      token: customer.tokens.unified,
      body: { replyTo: question?.messageId, text: 'At nine.' },
    });
    expect(body.data).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
    expect(graph.sent.map(({ to, user }) => [to, user?.userId])).toEqual([[null, WITHOUT_PHONE]]);
    await graph.tell(graph.sent[0]?.wamid ?? '', 'read');
    expect(await attempt()).toMatchObject({ status: 'read' });
  });

  test('a stop holds by number and by user id, once a status has named both', async () => {
    const ann = person();
    const wamid = await send({ to: `+${ann.number}` });
    await graph.tell(wamid, 'delivered');
    await graph.write({ ...ann, number: null }, said.text('STOP'));
    const refused = await on.rest('POST', '/api/omni/send', {
      token: customer.tokens.unified,
      body: { to: `+${ann.number}`, text: 'Hello', channels: ['sms'], sender: 'ACME' },
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'recipient_suppressed']);
  });

  test('a person who has another user id is the same person', async () => {
    const ann = person();
    await graph.write(ann, said.text('Hi'));
    const userId = userIdOf(newRecipient());
    const written = { id: newWamid(), atMs: Date.now() };
    expect(await graph.call(GRAPH_NUMBER, userIdChange(GRAPH_NUMBER, ann, userId, written))).toBe(200);
    const [question] = await received();
    await on.sql('update inbound_messages set from_number = null where account_id = $1', [toUuid(customer.accountId)]);
    const answer = { token: customer.tokens.unified, body: { replyTo: question?.messageId, text: 'Hi.' } };
    await on.rest('POST', '/api/omni/send', answer);
    expect(graph.requestsTo(userId)).toHaveLength(1);
    await graph.write({ ...ann, number: null, userId }, said.text('STOP'));
    const refused = await on.rest('POST', '/api/omni/send', {
      token: customer.tokens.unified,
      body: { to: `+${ann.number}`, text: 'Hello', channels: ['sms'], sender: 'ACME' },
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'recipient_suppressed']);
  });

  test('to two numbers in one call goes to whom each number is', async () => {
    const other = await on.customer();
    await connectCloud(on, other.accountId, graph, { number: second });
    const written = () => ({ id: newWamid(), atMs: Date.now() });
    const body = callOf(
      { id: second.businessAccountId, changes: [messageChange(second, person(), said.text('Theirs'), written())] },
      {
        id: GRAPH_NUMBER.businessAccountId,
        changes: [messageChange(GRAPH_NUMBER, person(), said.text('Ours'), written())],
      },
    );
    expect(await graph.post(body)).toBe(200);
    expect((await received()).map(({ text }) => text)).toEqual(['Ours']);
  });
});
