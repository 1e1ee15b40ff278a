/** Every cursor, id and other value that the schema takes, found by walking it, with values that no caller means well by. */
import { type ExecutionResult, parse, subscribe } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { toPublicErrors } from '../../../src/graphql/errors.ts';
import { buildSchema } from '../../../src/graphql/schema.ts';
import { encodeCursor } from '../../../src/kernel/cursor.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { type Leaf, leavesOf } from '../../support/graphql/schema-walk.ts';
import { SMS } from '../../support/messaging/send-cases.ts';

const HEX = '0'.repeat(32);

/** Texts that are no cursor of ours, and no id that names something. */
const NO_IDS: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '9'.repeat(26),
  `-${'9'.repeat(26)}`,
  '9223372036854775808',
  '1e400',
  'NaN',
  'null',
  '\u0000',
  `msg_${HEX}\u0000`,
  '\ud800',
  'a\udfffb',
  '😀',
  `' or 1=1; --`,
  '%00',
  'AQ==',
  Buffer.from('garbage that is no cursor').toString('base64'),
  Buffer.alloc(17, 0xff).toString('base64url'),
  Buffer.alloc(17, 0).toString('base64url'),
  `${encodeCursor(toUuid(`msg_${HEX}`))}=`,
  toUuid(`msg_${HEX}`),
  'msg_',
  `msg_${'g'.repeat(32)}`,
  `MSG_${HEX}`,
  '275760-09-13T00:00:00.001Z',
  'x'.repeat(10_000),
];

/** Ids of every sort, of nothing. */
const OTHER_IDS = (['msg', 'att', 'pin', 'evt', 'dlv', 'whk', 'acc', 'tok', 'snd', 'log', 'led', 'aud'] as const).map(
  prefix => newId(prefix),
);

/** Cursors of the right form, whatever list they are of. */
const CURSORS = ['0', '7', 'f'].map(digit => encodeCursor(toUuid(`msg_${digit.repeat(32)}`)));

const BIG = [
  '9'.repeat(26),
  `-${'9'.repeat(26)}`,
  '9223372036854775808',
  '-9223372036854775809',
  '9'.repeat(60),
  '',
  'x',
  '1.5',
  '\u0000',
];
const INTS = [-1, 0, 201, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 53, 1.5, 1e308, '1', 'x'];
const DATES = [
  '999999-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00+23:59',
  '2026-02-30T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '',
  '\u0000',
  'x'.repeat(10_000),
  8.64e15,
  -1,
];

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  BigInt: [...BIG, 1e308, -1, 0.5],
  Int: INTS,
  PositiveInt: INTS,
  NonNegativeInt: INTS,
  Float: INTS,
  DateTime: DATES,
  Boolean: ['x', 2],
  JSONObject: [{ '\u0000': 1 }, { a: '\ud800' }, []],
};

const TEXTS = [
  '',
  '\u0000',
  'a\u0000b',
  'a\ud800',
  'a\ud800b',
  '\u202e😀',
  '9'.repeat(26),
  'x'.repeat(10_000),
  ['x'],
  7,
];

/** The answers to a value that reached the database, or broke something. */
const FAULTS: readonly unknown[] = ['INTERNAL_ERROR', 'DATABASE_UNAVAILABLE', undefined];

/** The answers to an id or a cursor that is none, where nothing is found by it. */
const REFUSALS = ['INVALID_INPUT', 'NOT_FOUND', 'OTP_NOT_FOUND'];

const isCursor = ({ member }: Leaf): boolean => ['after', 'before', 'cursor'].includes(member);
const isId = ({ member, type }: Leaf): boolean => type === 'ID' || member === 'id' || member.endsWith('Id');

const fit = {
  String: 'fit',
  config: { request: { url: 'http://127.0.0.1:9/send' } },
  provider: 'http-sms',
  countries: 'US',
  to: SMS.to,
  recipient: SMS.to,
  accountId: newId('acc'),
  endpointId: newId('whk'),
  deliveryId: newId('dlv'),
  tokenId: newId('tok'),
  pinId: newId('pin'),
  pin: '123456',
  url: 'https://8.8.8.8/hooks',
  since: '2026-01-31T12:00:00Z',
  DateTime: '2026-01-31T12:00:00Z',
  BigInt: '1',
  Int: 1,
  Boolean: true,
  PositiveInt: 1,
  NonNegativeInt: 1,
  WebhookEventName: 'message.sent',
};

const on = setUpApp();
const customer = setUpCustomer(on);

beforeAll(async () => {
  await on.rest('POST', '/api/omni/send', { token: customer.tokens.unified, body: SMS });
  const { data } = await on.graphql<{ createWebhookEndpoint: { endpoint: { id: string } } }>(
    'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url, events: ["sms.sent"] }) { endpoint { id } } }',
    { token: customer.tokens.management, variables: { url: fit.url } },
  );
  fit.endpointId = data?.createWebhookEndpoint.endpoint.id ?? '';
});

/** Asked as the operator, whom every field answers. */
async function ask(leaf: Leaf, value: unknown): Promise<ExecutionResult> {
  const variables = leaf.variables(value);
  if (leaf.operation !== 'subscription') {
    const headers = { 'x-account-id': customer.accountId };
    const { status, body } = await on.rest('POST', '/graphql', {
      token: OPERATOR_TOKEN,
      headers,
      body: { query: leaf.document, variables },
    });
    expect(status).toBeLessThan(500);
    return body as unknown as ExecutionResult;
  }
  const actor = await on.app.authenticator.authenticate(`Bearer ${OPERATOR_TOKEN}`, customer.accountId);
  const contextValue = on.app.makeCtx(actor, 'req_walk');
  const { schema } = on.app;
  const result = await subscribe({ schema, document: parse(leaf.document), variableValues: variables, contextValue });
  if (!('errors' in result)) {
    await (result as AsyncGenerator).return(null);
    return { data: { result: [] } };
  }
  return { ...result, errors: toPublicErrors(result.errors ?? [], contextValue) };
}

const codesOf = ({ errors = [] }: ExecutionResult): unknown[] => errors.map(error => error.extensions?.code);

/** Whether nothing was found: no row, an empty page, an empty list. */
function isNothing({ data }: ExecutionResult): boolean {
  const { result } = (data ?? {}) as { result?: { nodes?: unknown[]; buckets?: unknown[] } | unknown[] | null };
  if (result == null) return true;
  const rows = Array.isArray(result) ? result : (result.nodes ?? result.buckets);
  return rows?.length === 0;
}

const leaves = leavesOf(buildSchema(), fit);
const named = (some: readonly Leaf[]) => some.map(leaf => [leaf.name, leaf] as const);

test('the walk finds the lists that there are', () => {
  const names = leaves.map(leaf => leaf.name);
  expect(names).toEqual(expect.arrayContaining(['query.plants(after)', 'query.logs(filter.messageId)']));
  expect(leaves.filter(isCursor).length).toBeGreaterThan(5);
  expect(leaves.filter(isId).length).toBeGreaterThan(20);
});

describe('a cursor that is none is invalid_input', () => {
  test.each(named(leaves.filter(isCursor)))('%s', async (_name, leaf) => {
    for (const value of leaf.type === 'BigInt' ? BIG : NO_IDS) {
      const result = await ask(leaf, value);
      const faults = result.errors?.map(({ extensions }) => extensions?.errors);
      const answer = { value, codes: codesOf(result), faults };
      expect(answer).toEqual({
        value,
        codes: ['INVALID_INPUT'],
        faults: [[expect.objectContaining({ field: leaf.member })]],
      });
    }
  });

  // The cursor of an export names a table, so a cursor of a list is none.
  const ofLists = leaves.filter(leaf => isCursor(leaf) && leaf.type === 'String' && leaf.field !== 'exportRecipient');

  test.each(named(ofLists))('%s, and one of another list is a page', async (_name, leaf) => {
    for (const value of CURSORS) {
      const result = await ask(leaf, value);
      expect({ value, codes: codesOf(result) }).toEqual({ value, codes: [] });
    }
  });
});

describe('an id of nothing is invalid_input or not_found, or finds nothing', () => {
  const some = leaves.filter(leaf => isId(leaf) && leaf.type !== 'BigInt');

  test.each(named(some))('%s', async (_name, leaf) => {
    for (const value of [...NO_IDS, ...OTHER_IDS]) {
      const result = await ask(leaf, value);
      const codes = codesOf(result).filter(code => !REFUSALS.includes(String(code)));
      expect({ value, codes, isNothing: isNothing(result) }).toEqual({ value, codes: [], isNothing: true });
    }
  });
});

describe('no other value is a fault of the gateway', () => {
  const some = leaves.filter(leaf => !isCursor(leaf) && !(isId(leaf) && leaf.type !== 'BigInt'));

  test.each(named(some))('%s', async (_name, leaf) => {
    for (const value of VALUES[leaf.type] ?? TEXTS) {
      const codes = codesOf(await ask(leaf, value));
      expect({ value, codes: codes.filter(code => FAULTS.includes(code)) }).toEqual({
        value,
        codes: [],
      });
    }
  });
});

describe.each(['/api/omni/logs', '/api/sms/otp/logs'])('%s', path => {
  const token = () => (path.includes('otp') ? customer.tokens.otp : customer.tokens.unified);
  const values = [...NO_IDS, ...OTHER_IDS].filter(value => value !== '');

  test.each(['cursor', 'limit'])('refuses a %s that is none', async name => {
    for (const value of values.filter(text => !(name === 'limit' && /^[1-9]$/.test(text)))) {
      const query = new URLSearchParams({ [name]: value });
      const { status, body } = await on.rest('GET', `${path}?${query}`, { token: token() });
      expect({ value, status, fields: body.errors?.map(error => error.field) }).toEqual({
        value,
        status: 400,
        fields: [name],
      });
    }
  });

  test('refuses an empty cursor and bytes that are no text', async () => {
    for (const query of ['cursor=', 'cursor=%ff%fe', 'limit=', 'limit=%ff', 'cursor=%00']) {
      const { status, body } = await on.rest('GET', `${path}?${query}`, { token: token() });
      expect({ query, status, code: body.code }).toEqual({ query, status: 400, code: 'invalid_input' });
    }
  });

  test('answers a page to the cursor of another list', async () => {
    for (const cursor of CURSORS)
      expect((await on.rest('GET', `${path}?cursor=${cursor}`, { token: token() })).status).toBe(200);
  });
});
