import { beforeEach, describe, expect, test } from 'vitest';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { callIn, connectCloud } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { type Graph, startGraph } from '../../../support/whatsapp/graph.ts';
import { userIdOf } from '../../../support/whatsapp/options.ts';
import { newWamid, numberChange, statusChange, userIdAfter, userIdChange } from '../../../support/whatsapp/payloads.ts';
import * as said from '../../../support/whatsapp/said.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);
let graph: Graph;

beforeEach(async () => {
  graph = await startGraph({ templates: [HELLO_TEMPLATE] });
  callIn(on, graph, await connectCloud(on, customer.accountId, graph));
});

const send = (to: string, more: object = {}) =>
  on.rest('POST', '/api/omni/send', {
    token: customer.tokens.unified,
    body: { to: `+${to}`, text: 'Hello', ...more },
  });

const TEMPLATE = { channels: ['chat_cloud'], cloudTemplate: { name: 'hello', language: 'en' } };
const SMS = { channels: ['sms'], sender: 'ACME' };

/** A status of what was sent to a number, as Meta tells it, with these members in the place of the usual ones. */
async function statusOf(number: string, more: object, contacts: readonly object[] = []) {
  await send(number, TEMPLATE);
  const sent = graph.sent.find(({ to }) => to === number);
  if (!sent) throw new Error('nothing was sent');
  const { field, value } = statusChange(sent, { status: 'delivered' }, Date.now());
  const statuses = (value.statuses as readonly object[]).map(status => ({ ...status, ...more }));
  return { field, value: { ...value, contacts, statuses } };
}

/** Whether a STOP by the user id stops the number too, as for one person. */
async function isOneWith(number: string, userId: string): Promise<boolean> {
  await graph.write({ number: null, userId }, said.text('STOP'));
  return (await send(number, SMS)).body.code === 'recipient_suppressed';
}

describe('a status', () => {
  test('tells who the recipient is by its contact, where it names the number alone', async () => {
    const [number, userId] = [newRecipient(), userIdOf(newRecipient())];
    const profile = { name: 'Ann', username: '@ann' };
    const change = await statusOf(number, { recipient_user_id: undefined }, [
      { wa_id: number, user_id: userId, profile },
    ]);
    expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
    const { data } = await on.graphql<{ person: object }>('query ($to: String!) { person(to: $to) { name } }', {
      token: customer.tokens.unified,
      variables: { to: number },
    });
    expect(data).toEqual({ person: { name: '@ann' } });
    expect(await isOneWith(number, userId)).toBe(true);
  });

  test('tells who the recipient is by the id of the message, where it does not repeat ours', async () => {
    const [number, userId] = [newRecipient(), userIdOf(newRecipient())];
    const change = await statusOf(number, { recipient_user_id: userId, biz_opaque_callback_data: undefined });
    expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
    expect(await isOneWith(number, userId)).toBe(true);
  });

  test('names a Mexican mobile by the digits that are dialled, as a message from it does', async () => {
    const [ten, userId] = [`55${newRecipient().slice(-8)}`, userIdOf(newRecipient())];
    const change = await statusOf(`52${ten}`, { recipient_id: `521${ten}`, recipient_user_id: userId });
    expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
    expect(await isOneWith(`52${ten}`, userId)).toBe(true);
    const other = `55${newRecipient().slice(-8)}`;
    await graph.write({ number: `521${other}`, userId: userIdOf(newRecipient()) }, said.text('STOP'));
    expect((await send(`52${other}`, SMS)).body.code).toBe('recipient_suppressed');
  });

  test('names a mobile of Brazil without the ninth digit, as a message from it does', async () => {
    const eight = `8${newRecipient().slice(-7)}`;
    const [number, kept] = [`55119${eight}`, `5511${eight}`];
    const change = await statusOf(number, { recipient_id: kept, recipient_user_id: undefined });
    expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
    expect(await on.sql('select kind from person_addresses where value = $1', [kept])).toEqual([{ kind: 'number' }]);
    await graph.write({ number: kept, userId: userIdOf(kept) }, said.text('STOP'));
    expect((await send(number, SMS)).body.code).toBe('recipient_suppressed');
  });

  test('that names the number alone that was sent to makes nobody known', async () => {
    const number = `551198${newRecipient().slice(-7)}`;
    const change = await statusOf(number, { recipient_user_id: undefined });
    expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
    expect(await on.sql('select value from person_addresses where value = $1', [number])).toEqual([]);
  });

  test('that comes after its recipient was erased brings nobody back', async () => {
    const [number, userId] = [newRecipient(), userIdOf(newRecipient())];
    const change = await statusOf(number, { recipient_user_id: userId });
    const { errors } = await on.graphql('mutation ($to: String!) { eraseRecipient(to: $to) { rows } }', {
      token: customer.tokens.management,
      variables: { to: `+${number}` },
    });
    expect(errors).toBeNull();
    expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
    expect(await on.sql('select value from person_addresses where value = any($1)', [[number, userId]])).toEqual([]);
  });

  test('of an unknown message tells nobody who somebody is', async () => {
    const [number, userId] = [newRecipient(), userIdOf(newRecipient())];
    const more = { id: newWamid(), recipient_user_id: userId, biz_opaque_callback_data: undefined };
    expect(await graph.call(GRAPH_NUMBER, await statusOf(number, more))).toBe(200);
    expect(await isOneWith(number, userId)).toBe(false);
  });
});

test('a person whose new user id comes with the number stays the one of the former id', async () => {
  const [number, former, userId] = [newRecipient(), userIdOf(newRecipient()), userIdOf(newRecipient())];
  await graph.write({ number: null, userId: former }, said.text('STOP'));
  const written = { id: newWamid(), atMs: Date.now() };
  const { field, value } = userIdChange(GRAPH_NUMBER, { number: null, userId: former }, userId, written);
  const messages = (value.messages as readonly object[]).map(message => ({ ...message, from: number }));
  expect(await graph.call(GRAPH_NUMBER, { field, value: { ...value, messages } })).toBe(200);
  expect((await send(number, SMS)).body).toMatchObject({ code: 'recipient_suppressed' });
});

test('a person who takes another number keeps a stop, once a message names that number', async () => {
  const [number, next] = [newRecipient(), newRecipient()];
  const user = { number, userId: userIdOf(newRecipient()) };
  await graph.write(user, said.text('STOP'));
  const written = { id: newWamid(), atMs: Date.now() };
  expect(await graph.call(GRAPH_NUMBER, numberChange(GRAPH_NUMBER, user, next, written))).toBe(200);
  await graph.write({ number: next, userId: userIdAfter(user) }, said.text('Hello'));
  expect((await send(next, SMS)).body).toMatchObject({ code: 'recipient_suppressed' });
});

test('a stop that comes in one call with the news of another number goes on for both numbers', async () => {
  const [number, next] = [newRecipient(), newRecipient()];
  const user = { number, userId: userIdOf(newRecipient()) };
  const { field, value } = numberChange(GRAPH_NUMBER, user, next, { id: newWamid(), atMs: Date.now() });
  const stop = {
    from: number,
    id: newWamid(),
    timestamp: String(Math.floor(Date.now() / 1_000)),
    ...said.text('STOP'),
  };
  const messages = [stop, ...(value.messages as readonly object[])];
  expect(await graph.call(GRAPH_NUMBER, { field, value: { ...value, messages } })).toBe(200);
  for (const to of [number, next]) expect((await send(to, SMS)).body).toMatchObject({ code: 'recipient_suppressed' });
});

describe('the next owner of a number that a person left', () => {
  const query = async <T>(document: string, to: string, token = customer.tokens.unified): Promise<T> => {
    const { data, errors } = await on.graphql<T>(document, { token, variables: { to } });
    expect(errors).toBeNull();
    return data as T;
  };
  const idOf = async (to: string) =>
    (await query<{ person: { id: string } }>('query ($to: String!) { person(to: $to) { id } }', to)).person.id;
  const textsOf = async (to: string) => {
    const document =
      'query ($to: String!) { conversation(to: $to, first: 20) { nodes { ... on InboundMessage { type text } } } }';
    const { conversation } = await query<{ conversation: { nodes: { type: string; text: string }[] } }>(document, to);
    return conversation.nodes.flatMap(({ type, text }) => (type === 'text' ? [text] : []));
  };

  /** Ann writes, takes another number and writes again; then Bob writes from her old one. */
  async function meet(more: object = {}) {
    const [number, next] = [newRecipient(), newRecipient()];
    const ann = { number, userId: userIdOf(newRecipient()) };
    const bob = { number, userId: userIdOf(newRecipient()) };
    await graph.write(ann, said.text('Ann was here'));
    const change = numberChange(GRAPH_NUMBER, ann, next, { id: newWamid(), atMs: Date.now() });
    const messages = (change.value.messages as readonly { readonly system: object }[]).map(message => {
      return { ...message, system: { ...message.system, ...more } };
    });
    const moved = { ...change, value: { ...change.value, messages } };
    return { number, next, ann, bob, moved, annLater: { number: next, userId: userIdAfter(ann) } };
  }

  test('is somebody else, whose stop, export and erasure are their own', async () => {
    const { number, next, ann, bob, moved, annLater } = await meet();
    expect(await graph.call(GRAPH_NUMBER, moved)).toBe(200);
    await graph.write(annLater, said.text('Ann at home'));
    await graph.write(bob, said.text('Bob at last'));
    expect(await idOf(ann.userId)).toBe(await idOf(next));
    expect(await idOf(number)).toBe(await idOf(bob.userId));
    expect(await idOf(number)).not.toBe(await idOf(next));
    expect(await textsOf(next)).toEqual(['Ann at home']);
    // The log has what came from a number under it.
    expect(await textsOf(number)).toEqual(['Bob at last', 'Ann was here']);
    const exported = JSON.stringify(
      await query(
        'query ($to: String!) { exportRecipient(to: $to) { addresses records { row } } }',
        `+${number}`,
        customer.tokens.management,
      ),
    );
    expect(exported).toContain('Bob at last');
    for (const hers of ['Ann at home', next, annLater.userId]) expect(exported).not.toContain(hers);
    await graph.write(bob, said.text('STOP'));
    expect((await send(number, SMS)).body.code).toBe('recipient_suppressed');
    expect((await send(next, SMS)).body.code).not.toBe('recipient_suppressed');
    const erase = 'mutation ($to: String!) { eraseRecipient(to: $to) { isSuppressed } }';
    await query(erase, `+${number}`, customer.tokens.management);
    expect(await textsOf(next)).toEqual(['Ann at home']);
  });

  test('is somebody else, where the news of the other number name no ids', async () => {
    const { number, next, ann, bob, moved } = await meet({ user_id: undefined, previous_user_id: undefined });
    await graph.write(ann, said.text('STOP'));
    expect(await graph.call(GRAPH_NUMBER, moved)).toBe(200);
    expect((await send(next, SMS)).body.code).toBe('recipient_suppressed');
    await graph.write(bob, said.text('Bob at last'));
    expect(await idOf(ann.userId)).toBe(await idOf(next));
    expect(await idOf(number)).not.toBe(await idOf(next));
  });

  test('is somebody else, where they wrote before the news of the other number came', async () => {
    const [number, next, former] = [newRecipient(), newRecipient(), userIdOf(newRecipient())];
    const bob = { number, userId: userIdOf(newRecipient()) };
    await graph.write({ number: null, userId: former }, said.text('STOP'));
    await graph.write(bob, said.text('Bob at last'));
    const change = numberChange(GRAPH_NUMBER, { number, userId: former }, next, { id: newWamid(), atMs: Date.now() });
    expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
    expect(await idOf(former)).toBe(await idOf(next));
    expect(await idOf(number)).toBe(await idOf(bob.userId));
    expect(await idOf(number)).not.toBe(await idOf(next));
    expect((await send(next, SMS)).body.code).toBe('recipient_suppressed');
    expect((await send(number, SMS)).body.code).not.toBe('recipient_suppressed');
  });
});

test('a stop that is known of the old number alone goes on for the new one', async () => {
  const [number, next] = [newRecipient(), newRecipient()];
  const { errors } = await on.graphql('mutation ($to: String!) { suppress(input: { to: $to }) { to } }', {
    token: customer.tokens.unified,
    variables: { to: `+${number}` },
  });
  expect(errors).toBeNull();
  const user = { number, userId: userIdOf(newRecipient()) };
  const change = numberChange(GRAPH_NUMBER, user, next, { id: newWamid(), atMs: Date.now() });
  expect(await graph.call(GRAPH_NUMBER, change)).toBe(200);
  expect((await send(next, SMS)).body.code).toBe('recipient_suppressed');
});

test('a message without a number comes from the number of its contact', async () => {
  const [number, userId] = [newRecipient(), userIdOf(newRecipient())];
  const message = { from_user_id: userId, id: newWamid(), timestamp: '1795000000', ...said.text('Hi') };
  const metadata = { display_phone_number: GRAPH_NUMBER.displayNumber, phone_number_id: GRAPH_NUMBER.phoneNumberId };
  const contacts = [{ wa_id: number, user_id: userId, profile: { name: 'Ann' } }];
  const value = { messaging_product: 'whatsapp', metadata, contacts, messages: [message] };
  expect(await graph.call(GRAPH_NUMBER, { field: 'messages', value })).toBe(200);
  const { data } = await on.graphql('{ inboundMessages { nodes { from fromUserId } } }', {
    token: customer.tokens.unified,
  });
  expect(data).toEqual({ inboundMessages: { nodes: [{ from: number, fromUserId: userId }] } });
});
