import { beforeEach, describe, expect, test } from 'vitest';
import type { Inbound } from '../../../src/channels/contract.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { sendPin } from '../../support/otp/rest-calls.ts';
import { addPerson, openPage } from '../../support/people/people.ts';
import { OPERATOR } from '../../support/services.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
let phone: string;

beforeEach(() => {
  phone = newPhone();
});

const digits = () => phone.replace('+', '');

/** Writes as a person does, by SMS unless told. */
const write = async (text: string, more: Partial<Inbound> = {}): Promise<string> => {
  const { to = 'ACME' } = more;
  const channel = to === 'ACME' ? ('sms' as const) : ('chat_cloud' as const);
  const bringer = { id: null, accountId: customer.accountId, providerId: 'sandbox', channel };
  const [received] = await receiveInbound(on.app.makeCtx(OPERATOR, 'test'), bringer, [
    { providerMessageId: null, from: digits(), to, type: 'text', text, ...more },
  ]);
  return received?.messageId ?? '';
};

const send = async (body: object): Promise<string> => {
  const answer = await on.rest('POST', '/api/omni/send', {
    token: customer.tokens.unified,
    body: { to: phone, text: 'Your parcel arrives today.', channels: ['sms'], sender: 'ACME', ...body },
  });
  return String(answer.body.data?.messageId);
};

interface Answers {
  readonly people: { readonly nodes: readonly Record<string, unknown>[]; readonly pageInfo: { endCursor: string } };
  readonly person: Record<string, unknown>;
  readonly unreadPeople: number;
  readonly conversation: Answers['people'];
  readonly addNote: { readonly id: string };
  readonly reply: Record<string, unknown>;
}

const ask = (document: string, variables: object = {}, token = customer.tokens.management) =>
  on.graphql<Answers>(document, { token, variables: { to: phone, ...variables } });

const CONVERSATION = `query ($to: String!, $first: Int, $after: String) {
  conversation(to: $to, first: $first, after: $after) {
    nodes {
      __typename
      ... on Message { text channel status }
      ... on InboundMessage { words: text by: channel replyTo }
      ... on Otp { stands: status channel }
      ... on PersonNote { text author: by }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

const said = async (variables: object = {}) => {
  const { data } = await ask(CONVERSATION, variables);
  return data?.conversation.nodes.map(({ __typename, text, words }) => `${__typename} ${text ?? words ?? ''}`.trim());
};

describe('a conversation', () => {
  test('has both directions over all channels, a passcode without its code, and notes, newest first', async () => {
    const first = await send({});
    await write('Which one?');
    await send({ channels: ['chat_cloud'], cloudTemplate: { name: 'hello', language: 'en' }, text: 'The blue one.' });
    await sendPin(on, customer, { to: phone });
    await ask('mutation ($to: String!) { addNote(input: { to: $to, text: "Knows the parcel." }) { id } }');
    const { data } = await ask(CONVERSATION);
    expect(data?.conversation.nodes).toEqual([
      { __typename: 'PersonNote', text: 'Knows the parcel.', author: null },
      { __typename: 'Otp', stands: 'SENT', channel: 'SMS' },
      { __typename: 'Message', text: 'The blue one.', channel: 'CHAT_CLOUD', status: 'SENT' },
      { __typename: 'InboundMessage', words: 'Which one?', by: 'SMS', replyTo: first },
      { __typename: 'Message', text: 'Your parcel arrives today.', channel: 'SMS', status: 'SENT' },
    ]);
  });

  test('has a send once, however many channels it tried', async () => {
    phone = '+12025550103';
    await send({ channels: ['chat_qr', 'sms'], chatFrom: '15550000001' });
    await send({ channels: ['chat_qr', 'sms'], chatFrom: '15550000001', deliveryMode: 'all' });
    expect(await said()).toHaveLength(2);
  });

  test('goes on from page to page', async () => {
    for (const text of ['one', 'two', 'three']) await write(text);
    const { data } = await ask(CONVERSATION, { first: 2 });
    expect(data?.conversation.nodes.map(({ words }) => words)).toEqual(['three', 'two']);
    expect(await said({ first: 2, after: data?.conversation.pageInfo.endCursor })).toEqual(['InboundMessage one']);
  });

  test('of a person without a number is found by the id, and one with both by each', async () => {
    const userId = `US.${digits()}`;
    await write('Hello', { from: userId, username: 'Ada', to: '15550000002' });
    expect(await said({ to: userId })).toEqual(['InboundMessage Hello']);
    await send({});
    await write('It is me', { userId, to: '15550000002' });
    const all = ['InboundMessage It is me', 'Message Your parcel arrives today.', 'InboundMessage Hello'];
    expect(await said()).toEqual(all);
    expect(await said({ to: userId })).toEqual(all);
  });

  test('of a number that never wrote has what was sent', async () => {
    await send({});
    expect(await said()).toEqual(['Message Your parcel arrives today.']);
    const { data } = await ask('query ($to: String!) { person(to: $to) { id to name unread addresses { value } } }');
    expect(data?.person).toEqual({ id: null, to: digits(), name: null, unread: 0, addresses: [] });
  });
});

describe('the people of an account', () => {
  const LIST = `query ($filter: PeopleFilter, $first: Int, $after: String) {
    people(filter: $filter, first: $first, after: $after) {
      nodes { id to name unread lastMessage { text } suppression { origin } } pageInfo { endCursor }
    }
  }`;
  const names = async (variables: object = {}) => {
    const { data } = await ask(LIST, variables);
    return data?.people.nodes.map(({ name, to }) => name ?? to);
  };

  beforeEach(async () => {
    await write('Where is my parcel?', { from: '12025550142', username: 'Ada Lovelace' });
    await write('Thank you', { from: '12025550143', username: 'Grace_Hopper' });
    await send({ to: '+12025550143', text: 'The blue one.' });
    await write('Fine', { from: '12025550143' });
    await write('STOP', { from: 'US.9000', username: 'Mary', to: '15550000002' });
    await write('50 % off?', { from: '12025550144' });
  });

  test('are listed by their newest message', async () => {
    const { data } = await ask(LIST, { first: 2 });
    expect(data?.people.nodes).toMatchObject([
      { to: '12025550144', name: null, unread: 1, lastMessage: { text: '50 % off?' }, suppression: null },
      { to: 'US.9000', name: 'Mary', suppression: { origin: 'RECIPIENT' } },
    ]);
    expect(await names({ first: 2, after: data?.people.pageInfo.endCursor })).toEqual(['Grace_Hopper', 'Ada Lovelace']);
  });

  test.each([
    ['the name', 'lovelace', ['Ada Lovelace']],
    ['the last digits', '0143', ['Grace_Hopper']],
    ['a number as it is written', '+1 (202) 555-0142', ['Ada Lovelace']],
    ['an id', 'us.9', ['Mary']],
    ['words of their last message', 'PARCEL', ['Ada Lovelace']],
    ['words of an older message', 'thank', ['Grace_Hopper']],
    ['words that were sent to them', 'Blue One', ['Grace_Hopper']],
    ['words of a chat without a number', 'stop', ['Mary']],
    ['a percent sign', '%', ['12025550144']],
    ['an underscore', '_', ['Grace_Hopper']],
    ['what nobody has', 'nobody', []],
    ['nothing', ' ', ['12025550144', 'Mary', 'Grace_Hopper', 'Ada Lovelace']],
  ])('are found by %s', async (_name, search, found) => {
    expect(await names({ filter: { search } })).toEqual(found);
  });

  test('are read once for the whole account, up to a message', async () => {
    const older = await write('One', { from: '12025550142' });
    const newer = await write('Two', { from: '12025550142' });
    const mark = (messageId: string) =>
      ask('mutation ($m: String!) { markRead(input: { to: "+12025550142", messageId: $m }) { unread } }', {
        m: messageId,
      });
    expect((await mark(older)).data).toEqual({ markRead: { unread: 1 } });
    expect((await mark(newer)).data).toEqual({ markRead: { unread: 0 } });
    expect((await mark(older)).data).toEqual({ markRead: { unread: 0 } });
    expect((await ask('{ unreadPeople }')).data).toEqual({ unreadPeople: 3 });
    expect(await names({ filter: { isUnread: true } })).toEqual(['12025550144', 'Mary', 'Grace_Hopper']);
    await write('Three', { from: '12025550142' });
    expect((await ask('{ unreadPeople }')).data).toEqual({ unreadPeople: 4 });
  });
});

describe('the 24 hours of a cloud chat', () => {
  const WINDOWS = 'query ($to: String!) { person(to: $to) { windows { channel sender closesAt } } }';

  test('are open from what the person wrote last, by sender', async () => {
    await write('Hello', { to: '15550000002' });
    const { data } = await ask(WINDOWS);
    const [window] = (data?.person.windows ?? []) as { closesAt: string }[];
    expect(data?.person.windows).toEqual([
      { channel: 'CHAT_CLOUD', sender: '15550000002', closesAt: expect.any(String) },
    ]);
    expect((Date.parse(window?.closesAt ?? '') - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
  });

  test('are over a day later, and are none of an SMS', async () => {
    await write('Hello');
    const id = await write('Hello', { to: '15550000002' });
    await on.sql(`update inbound_messages set received_at = received_at - interval '24 hours' where id = $1`, [
      id.slice(4),
    ]);
    expect((await ask(WINDOWS)).data?.person.windows).toEqual([]);
  });
});

describe('a person of support', () => {
  const open = async (role: 'support' | 'viewer') => {
    const headers = await openPage(on, await addPerson(on, customer.accountId, role));
    return {
      ask: (document: string, variables: object) => on.graphql(document, { headers, variables: { ...variables } }),
    };
  };
  const REPLY =
    'mutation ($m: String!, $text: String!) { reply(input: { replyTo: $m, text: $text }) { status recipient } }';

  test('answers who wrote, by the way it came, and sends to nobody else', async () => {
    const messageId = await write('Which one?');
    const page = await open('support');
    const answered = await page.ask(REPLY, { m: messageId, text: 'The blue one.' });
    expect(answered.data).toEqual({ reply: { status: 'SENT', recipient: digits() } });
    expect(await said()).toEqual(['Message The blue one.', 'InboundMessage Which one?']);
    const sent = await page.ask(
      'mutation ($to: String!) { sendMessage(input: { to: $to, text: "Hello", sender: "ACME" }) { id } }',
      { to: phone },
    );
    expect(sent.errors?.[0]?.extensions.code).toBe('WRONG_AREA');
  });

  test('is refused an answer to somebody who stopped', async () => {
    const messageId = await write('STOP');
    const { errors } = await (await open('support')).ask(REPLY, { m: messageId, text: 'Hello' });
    expect(errors?.[0]?.extensions.code).toBe('RECIPIENT_SUPPRESSED');
  });

  test('writes notes in the own name, and removes them', async () => {
    const page = await open('support');
    const { data } = await page.ask(
      'mutation ($to: String!) { addNote(input: { to: $to, text: "Calls at noon." }) { id by } }',
      { to: phone },
    );
    const note = (data as { addNote: { id: string; by: string } }).addNote;
    expect(note.by).toMatch(/@/);
    expect(await said()).toEqual(['PersonNote Calls at noon.']);
    await page.ask('mutation ($id: String!) { removeNote(id: $id) { id } }', { id: note.id });
    expect(await said()).toEqual([]);
  });

  test('is a viewer who sees nobody', async () => {
    await write('Hello');
    const { errors } = await (await open('viewer')).ask('{ people { nodes { to } } }', {});
    expect(errors?.[0]?.extensions.code).toBe('WRONG_AREA');
  });
});
