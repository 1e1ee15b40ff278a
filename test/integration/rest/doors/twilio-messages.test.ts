import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { toSid } from '../../../../src/rest/doors/twilio/caller.ts';
import { OPERATOR_TOKEN } from '../../../support/app.ts';
import { twilioClient } from '../../../support/doors/twilio-client.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { newRecipient } from '../../../support/otp/pins.ts';
import { loggedRequests } from '../../../support/requests/logged-requests.ts';

const on = setUpApp({ env: { DOORS: 'twilio' } });
const customer = setUpCustomer(on);
const TEXT = 'Your parcel arrives today.';
let url = '';

beforeAll(async () => {
  ({ url } = await on.app.start());
});

const client = (token = customer.tokens.sms) => twilioClient(url, customer.accountId, token);
const messages = () => client().messages;
const ofNumber = (to: string) => ({ to, from: 'ACME', body: TEXT });
const SEND = ofNumber('+12025550100');

function basic(): string {
  return `Basic ${Buffer.from(`${toSid('AC', customer.accountId)}:${customer.tokens.sms}`).toString('base64')}`;
}

/** Sends a form as a client without a library does. */
function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  return on.rest('POST', path, {
    body: new URLSearchParams(form).toString(),
    headers: {
      authorization: basic(),
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
  });
}

const path = () => `/2010-04-01/Accounts/${toSid('AC', customer.accountId)}/Messages.json`;

describe('the published client of Twilio', () => {
  test('sends a message and reads it by its sid', async () => {
    const sent = await messages().create(SEND);
    expect(sent).toMatchObject({ to: '+12025550100', from: 'ACME', body: TEXT, numSegments: '1', errorCode: null });
    expect(sent.sid).toMatch(/^SM[0-9a-f]{32}$/);
    expect(['sent', 'delivered']).toContain(sent.status);
    expect(sent.dateCreated.getTime()).toBeGreaterThan(0);
    const read = await messages()(sent.sid).fetch();
    expect(read).toMatchObject({ sid: sent.sid, body: TEXT, accountSid: toSid('AC', customer.accountId) });
  });

  test('sends from the default sender for a messaging service', async () => {
    const sent = await messages().create({
      to: '+12025550100',
      messagingServiceSid: `MG${'0'.repeat(32)}`,
      body: TEXT,
    });
    expect(sent.from).toBe('ACME');
  });

  test('sends from a number as it is written there, and reads it so', async () => {
    for (const mutation of ['addSender', 'approveSender'])
      await on.graphql(`mutation ($input: SenderInput!) { ${mutation}(input: $input) { id } }`, {
        token: OPERATOR_TOKEN,
        variables: { input: { accountId: customer.accountId, name: '+15005550006' } },
      });
    const sent = await messages().create({ to: '+12025550100', from: '+15005550006', body: TEXT });
    const read = await messages()(sent.sid).fetch();
    expect([sent.from, read.from]).toEqual(['+15005550006', '+15005550006']);
    const spaced = await messages().create({ to: '+12025550100', from: '+1 500 555 0006', body: TEXT });
    expect(spaced.from).toBe('+15005550006');
  });

  test('is told a message that no provider accepts as failed', async () => {
    const failed = await messages().create(ofNumber('+12025550101'));
    expect(failed).toMatchObject({ status: 'failed', errorCode: 30008, dateSent: null });
  });

  test('lists the messages of a number page by page', async () => {
    for (let sent = 0; sent < 3; sent++) await messages().create(ofNumber('+12025550107'));
    const listed = await messages().list({ to: '+12025550107', pageSize: 2, dateSentAfter: new Date(0) });
    expect(listed.map(({ to }) => to)).toEqual(Array(3).fill('+12025550107'));
    expect(new Set(listed.map(({ sid }) => sid)).size).toBe(3);
  });

  test.each([
    ['a number that is none', { ...SEND, to: '123' }, 400, 21211],
    ['no number', { ...SEND, to: '' }, 400, 21604],
    ['no sender', { to: '+12025550100', body: TEXT }, 400, 21603],
    ['no text', { ...SEND, body: '' }, 400, 21602],
    ['a text that is too long', { ...SEND, body: 'x'.repeat(1_601) }, 400, 21617],
    ['a sender that is not approved', { ...SEND, from: 'STRANGER' }, 400, 21606],
    ['a callback for one message', { ...SEND, statusCallback: 'https://example.com/' }, 400, 21609],
    ['a time to wait of a second', { ...SEND, validityPeriod: 1 }, 400, 20001],
    ['a parameter that is not carried over', { ...SEND, mediaUrl: ['https://example.com/a.png'] }, 400, 20001],
  ])('is refused %s', async (_what, input, status, code) => {
    const moreInfo = `https://www.twilio.com/docs/errors/${code}`;
    await expect(messages().create(input)).rejects.toMatchObject({ status, code, moreInfo });
  });

  test('lists what was sent on a day, at whatever time of it the day is named', async () => {
    const to = `+${newRecipient()}`;
    const { sid, dateCreated } = await messages().create(ofNumber(to));
    const dateSent = new Date(new Date(dateCreated).setUTCHours(23, 59, 59));
    const found = await messages().list({ to, dateSent });
    expect(found.map(message => message.sid)).toEqual([sid]);
    const both = messages().list({ to, dateSent, dateSentAfter: dateSent });
    await expect(both).rejects.toMatchObject({ status: 400, code: 20001 });
  });

  test('is refused a recipient who has stopped', async () => {
    const query = 'mutation { suppress(input: { to: "+12025550106" }) { to } }';
    await on.graphql(query, { token: customer.tokens.management });
    await expect(messages().create(ofNumber('+12025550106'))).rejects.toMatchObject({ status: 400, code: 21610 });
  });

  test('is refused without a live token', async () => {
    const stranger = client('hg_sms_nobody').messages.create(SEND);
    await expect(stranger).rejects.toMatchObject({ status: 401, code: 20003 });
  });

  test('is refused the account of somebody else', async () => {
    const other = await on.customer();
    const stranger = twilioClient(url, other.accountId, customer.tokens.sms).messages.create(SEND);
    await expect(stranger).rejects.toMatchObject({ status: 401, code: 20003 });
  });

  test('is refused a token of another area', async () => {
    const wrong = client(customer.tokens.otp).messages.create(SEND);
    await expect(wrong).rejects.toMatchObject({ status: 403, code: 20003 });
  });

  test('finds no message of another account', async () => {
    const other = await on.customer();
    const sent = await twilioClient(url, other.accountId, other.tokens.sms).messages.create(SEND);
    await expect(messages()(sent.sid).fetch()).rejects.toMatchObject({ status: 404, code: 20404 });
  });
});

test('a repeat with the same I-Twilio-Idempotency-Token is sent once', async () => {
  const form = { To: '+12025550100', From: 'ACME', Body: TEXT };
  const first = await post(path(), form, { 'i-twilio-idempotency-token': 'once' });
  const again = await post(path(), form, { 'i-twilio-idempotency-token': 'once' });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body.sid).toBe(first.body.sid);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

/** Messages with their attempts as they are stored, but for what no two have in common: ids and times. */
async function storedMessages(accountId: string): Promise<readonly object[]> {
  const rows = await on.sql<{ message: object; attempts: readonly object[] }>(
    `select to_jsonb(m) as message,
       (select jsonb_agg(to_jsonb(a) order by a.id) from attempts a where a.message_id = m.id) as attempts
     from messages m where m.account_id = $1 order by m.id`,
    [toUuid(accountId)],
  );
  const shared = (row: object) => Object.entries(row).filter(([name]) => !/^id$|_(id|at|ms|until)$/.test(name));
  return rows.map(({ message, attempts }) => ({ message: shared(message), attempts: attempts.map(shared) }));
}

test('a send by the door leaves the rows that a send by REST leaves', async () => {
  const same = await on.customer();
  await twilioClient(url, same.accountId, same.tokens.sms).messages.create(SEND);
  const body = { to: SEND.to, sender: SEND.from, text: SEND.body };
  await on.rest('POST', '/api/sms/send', { token: same.tokens.sms, body });
  const [door, rest] = await storedMessages(same.accountId);
  expect(door).toEqual(rest);
});

test('a refusal stands in the request log under the path of the door', async () => {
  const { headers } = await post(path(), { To: '1', From: 'ACME', Body: TEXT });
  const logged = await loggedRequests(on, customer.accountId);
  expect(logged.find(row => row.request_id === headers.get('x-request-id'))).toMatchObject({
    path: '/2010-04-01/Accounts/:accountSid/Messages.json',
    code: 'invalid_input',
    field: 'To',
    status: 400,
  });
});

test.each([
  ['a form that is no UTF-8', 'To=%2B12025550100&From=ACME&Body=%FF'],
  ['a parameter that is given twice', 'To=%2B12025550100&From=ACME&Body=a&Body=b'],
])('%s is refused', async (_what, form) => {
  const headers = { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' };
  const { status, body } = await on.rest('POST', path(), { body: form, headers });
  expect(status).toBe(400);
  expect(body.message).toMatch(/^[Bb]ody: must/);
});

test.each(['constructor', '__proto__', 'toString', 'valueOf'])('a parameter %s is refused as any other', async name => {
  const body = `To=%2B12025550100&From=ACME&Body=a&${name}=1`;
  const headers = { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await on.rest('POST', path(), { body, headers });
  const message = `${name}: is not carried over by this door; leave it out`;
  expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ code: 20001, message })]);
});

test.each([
  ['StatusCallback=https%3A%2F%2Fexample.com%2F', 'StatusCallback', 21609],
  ['SendAt=2026-12-01T00%3A00%3A00Z', 'SendAt', 20001],
])('a query string of %s is refused beside a form', async (query, name, code) => {
  const { status, body } = await post(`${path()}?${query}`, { To: '+12025550100', From: 'ACME', Body: TEXT });
  expect([status, body.code]).toEqual([400, code]);
  expect(body.message).toBe(`${name}: is not read in the query string; leave it out`);
});

test('a message is read without a query string', async () => {
  const { sid } = await messages().create(SEND);
  const ofMessage = `${path().replace('.json', '')}/${sid}.json`;
  const headers = { authorization: basic() };
  expect((await on.rest('GET', ofMessage, { headers })).status).toBe(200);
  const { status, body } = await on.rest('GET', `${ofMessage}?Fields=sid`, { headers });
  expect([status, body.message]).toEqual([400, 'Fields: is not read in the query string; leave it out']);
});

test('a body of JSON is refused in the form of Twilio', async () => {
  const { status, body } = await on.rest('POST', path(), { body: {}, headers: { authorization: basic() } });
  expect([status, body.code, body.status]).toEqual([415, 20415, 415]);
});

test.each([
  ['a day that no calendar has', { DateSent: '2026-02-30' }, 20001],
  ['a time of such a day', { 'DateSent>': '2026-02-30T00:00:00Z' }, 20001],
  ['a day after all years', { DateSent: '9999-12-31' }, 20001],
  ['a page without its token', { Page: '3' }, 20001],
  ['a number that is none', { To: '12' }, 21211],
  ['times in the wrong order', { 'DateSent>': '2026-11-27', 'DateSent<': '2026-11-26' }, 20001],
])('a list by %s is refused under the name of the parameter', async (_what, query, code) => {
  const { status, body } = await on.rest('GET', `${path()}?${new URLSearchParams(query)}`, {
    headers: { authorization: basic() },
  });
  expect([status, body.code]).toEqual([400, code]);
  expect(body.message).toMatch(/^(DateSent[<>]?|Page|To): /);
});

test.each([
  ['PageSize', '0', 1],
  ['PageSize', 'all', 1],
  ['Page', '-1', 0],
])('a %s of %s is refused with the least that it may be', async (name, value, least) => {
  const { body } = await on.rest('GET', `${path()}?${name}=${value}`, { headers: { authorization: basic() } });
  expect(body.message).toBe(`${name}: must be a whole number from ${least}`);
});

test('a target that is too long has its own status in the form of Twilio', async () => {
  const answer = await fetch(`${url}${path()}?To=${'1'.repeat(9_000)}`);
  expect([answer.status, await answer.json()]).toEqual([414, expect.objectContaining({ status: 414 })]);
});

test('a request without credentials is told how to authenticate', async () => {
  const { status, body, headers } = await on.rest('POST', path(), { body: {} });
  expect([status, body.code]).toEqual([401, 20003]);
  expect(headers.get('www-authenticate')).toMatch(/^Basic/);
});

test('a page of another origin cannot ask with the credentials that a browser keeps', async () => {
  const before = (await storedMessages(customer.accountId)).length;
  const form = { To: '+12025550100', From: 'ACME', Body: TEXT };
  const { status, body } = await post(path(), form, { 'sec-fetch-site': 'cross-site' });
  expect([status, body.code, body.message]).toEqual([403, 20003, 'A page of another origin cannot ask here.']);
  expect(await storedMessages(customer.accountId)).toHaveLength(before);
});

test('another method is refused in the form of Twilio', async () => {
  const { status, body, headers } = await on.rest('DELETE', path());
  expect([status, body.code, headers.get('allow')]).toEqual([405, 20004, 'POST, GET']);
  expect(body.message).toBe('Use POST or GET here.');
});
