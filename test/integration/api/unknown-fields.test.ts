/** Fields that no path documents are ignored; names that are nearly ours are refused (contract §4). */

import { describe, expect, test } from 'vitest';
import { routes } from '../../../src/rest/routes.ts';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { SMS, TEMPLATE } from '../../support/messaging/send-cases.ts';
import { sendPin } from '../../support/otp/rest-calls.ts';
import { expectProblem } from '../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

let lastPlant = 0;
let lastPhone = 0;

type Body = Readonly<Record<string, unknown>>;

/** A body that each path takes. */
const FIT: Readonly<Record<string, () => Promise<Body>>> = {
  '/plants': async () => ({ id: ++lastPlant, name: 'Fern' }),
  '/api/omni/send': async () => SMS,
  '/api/sms/send': async () => SMS,
  '/api/omni/otp/send': async () => ({ to: phone() }),
  '/api/sms/otp/send': async () => ({ to: phone() }),
  '/api/omni/otp/verify': () => pinOf('unified'),
  '/api/sms/otp/verify': () => pinOf('otp'),
};

function phone(): string {
  return `+120255512${String(++lastPhone).padStart(2, '0')}`;
}

async function pinOf(area: 'unified' | 'otp'): Promise<Body> {
  const { pinId, code } = await sendPin(on, customer, { area });
  return { pinId, pin: code };
}

function tokenOf(path: string): string {
  if (path.includes('/omni/') || path === '/plants') return customer.tokens.unified;
  return path.includes('/otp/') ? customer.tokens.otp : customer.tokens.sms;
}

const post = (path: string, body: unknown) => on.rest('POST', path, { token: tokenOf(path), body });

const PATHS = routes.filter(({ method }) => method === 'POST').map(({ path }) => path);

describe.each(PATHS)('%s', path => {
  test('ignores what it does not document', async () => {
    const fit = await FIT[path]?.();
    const { status, body } = await post(path, {
      campaign: 'spring',
      metadata: { nested: [{ deep: null }] },
      '': 1,
      timestamp: 1_700_000_000,
      constructor: 'x',
      'a\u0000\ud800': 'b\u0000',
      ...fit,
    });
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  });

  test('ignores members of every object', async () => {
    const fit = JSON.stringify(await FIT[path]?.());
    const { status } = await post(path, `{"__proto__":{"to":1},"toString":1,${fit.slice(1)}`);
    expect(status).toBe(200);
  });

  test('refuses its own names in another case, and names the ones that were meant', async () => {
    const fit = (await FIT[path]?.()) ?? {};
    for (const name of Object.keys(fit)) {
      const { status, text } = await post(path, { ...fit, [name.toUpperCase()]: 'x' });
      expect({ name, status }).toEqual({ name, status: 400 });
      expect(text).toContain(`${name.toUpperCase()}: is not a field of this request; did you mean ${name}?`);
    }
  });
});

describe('a name that is nearly one of ours is refused', () => {
  test.each([
    ['/api/omni/send', 'Reference', 'reference'],
    ['/api/omni/send', 'chat_from', 'chatFrom'],
    ['/api/omni/send', 'sendr', 'sender'],
    ['/api/omni/send', 'channel', 'channels'],
    ['/api/omni/send', 'delivery-mode', 'deliveryMode'],
    ['/api/sms/send', 'refernece', 'reference'],
    ['/api/omni/otp/send', 'expires_in', 'expiresIn'],
    ['/api/sms/otp/send', 'Sender', 'sender'],
    ['/api/omni/otp/verify', 'client_ip', 'clientIp'],
    ['/api/sms/otp/verify', 'pin_id', 'pinId'],
    ['/api/sms/otp/verify', 'codes', 'code'],
    ['/plants', 'names', 'name'],
  ])('%s: %s', async (path, given, meant) => {
    const fit = await FIT[path]?.();
    const { status, body, text } = await post(path, { ...fit, [given]: 'x' });
    expect(status).toBe(400);
    expect(text).toContain(`did you mean ${meant}?`);
    if (path === '/plants') return;
    expect(body).toMatchObject({ code: 'invalid_input', errors: [{ field: given }] });
  });

  test('all of them at once', async () => {
    const { body } = await post('/api/omni/send', { ...SMS, Sender: 'A', chat_from: 'B' });
    expect(body.errors?.map(error => error.field)).toEqual(['Sender', 'chat_from']);
  });

  test('inside of a template too', async () => {
    const cloudTemplate = { ...TEMPLATE, Language: 'de' };
    const { status, body } = await post('/api/omni/send', { ...SMS, chatFrom: '15550000001', cloudTemplate });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        field: 'cloudTemplate.Language',
        message: 'is not a field of this request; did you mean cloudTemplate.language?',
      },
    ]);
  });
});

describe('what is ignored', () => {
  test('inside of a template does not count', async () => {
    const cloudTemplate = { ...TEMPLATE, size: 1, components: [{ type: 'body', anything: 'goes' }] };
    const { status } = await post('/api/omni/send', { to: SMS.to, text: 'Hello', cloudTemplate });
    expect(status).toBe(200);
  });

  test('a field of another path is', async () => {
    const { status } = await post('/api/sms/otp/send', {
      to: phone(),
      deliveryMode: 'all',
      text: 'x',
      reference: 'one',
    });
    expect(status).toBe(200);
  });

  test('is no part of the request that a reference stands for', async () => {
    const reference = 'order-with-extras';
    const first = await post('/api/omni/send', { ...SMS, reference, seen: 1 });
    const again = await post('/api/omni/send', { seen: { other: true }, ...SMS, reference });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
  });

  test('is refused by GraphQL, whose types are its documentation', async () => {
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }';
    const variables = { input: { ...SMS, campaign: 'spring' } };
    const answer = await on.graphql(query, { token: customer.tokens.unified, variables });
    expectProblem(answer, 200, 'invalid_input', 'campaign');
  });
});

describe.each([
  ['/api/omni/logs', 'unified'],
  ['/api/sms/otp/logs', 'otp'],
] as const)('%s', (path, area) => {
  const get = (query: string) => on.rest('GET', `${path}?${query}`, { token: customer.tokens[area] });

  test.each(['page=2', '_=1700000000', 'page=1&page=2', 'limit=1&from=yesterday', '__proto__=1', 'constructor', '=x'])(
    'ignores what it does not document: %s',
    async query => {
      expect((await get(query)).status).toBe(200);
    },
  );

  test.each([
    ['Limit=5', 'Limit', 'limit'],
    ['limits=5', 'limits', 'limit'],
    ['limit=5&curser=x', 'curser', 'cursor'],
    ['li_mit=5', 'li_mit', 'limit'],
  ])('refuses what is nearly its own: %s', async (query, given, meant) => {
    const { status, body } = await get(query);
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ field: given, message: `is not a field of this request; did you mean ${meant}?` }]);
  });
});
