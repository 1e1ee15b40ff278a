import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, test } from 'vitest';
import { messageData } from '../../../../src/modules/answers/message.data.ts';
import { EVENTS, sampleData } from '../../../../src/modules/webhooks/events/webhook-events.ts';
import type { Route } from '../../../../src/rest/mount.ts';
import { HEADERS } from '../../../../src/rest/openapi/answers.ts';
import { routes } from '../../../../src/rest/routes.ts';
import {
  logsData,
  otpData,
  plantData,
  plantError,
  problem,
  smsOtpData,
  verifiedOtpData,
} from '../../../../src/rest/schemas.ts';
import type { Customer, RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { EVERY_CHANNEL, INVALID_SENDS, SMS } from '../../../support/messaging/send-cases.ts';
import { type MadePin, wrongCode } from '../../../support/otp/pins.ts';
import { expirePin, sendPin } from '../../../support/otp/rest-calls.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
let paths: Record<string, Record<string, Operation>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly examples: Examples } } };
  readonly responses: Record<string, Answer>;
}

type Examples = Readonly<Record<string, { readonly value: Record<string, unknown> }>>;

interface Answer {
  readonly description: string;
  readonly headers: Record<string, unknown>;
  readonly content: Record<string, { readonly examples: Examples }>;
  readonly 'x-codes'?: readonly string[];
}

beforeAll(async () => {
  const { body } = await on.rest('GET', '/openapi.json');
  paths = body.paths as typeof paths;
});

/** A schema of the document by its path from the root. */
async function schemaAt(...path: string[]): Promise<unknown> {
  const { body } = await on.rest('GET', '/openapi.json');
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), body);
}

/** The schema of `data` in a success; of a plant, the schema of the whole body. */
const data = {
  '/api/omni/send': messageData,
  '/api/omni/otp/send': otpData,
  '/api/omni/otp/verify': verifiedOtpData,
  '/api/omni/logs': logsData,
  '/api/sms/send': messageData,
  '/api/sms/otp/send': smsOtpData,
  '/api/sms/otp/verify': verifiedOtpData,
  '/api/sms/otp/logs': logsData,
  '/plants': plantData,
};

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { text } = await on.rest('GET', '/openapi.json');
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(text));
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('holds no reference that leads nowhere', async () => {
    const { text } = await on.rest('GET', '/openapi.json');
    const references = [...new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(match => match[1] ?? ''))];
    expect(references.length).toBeGreaterThan(3);
    for (const reference of references) expect(await schemaAt(...reference.split('/'))).toBeDefined();
  });

  test('holds every route with a summary, a description and its failures', () => {
    expect(Object.keys(paths).sort()).toEqual(routes.map(route => route.path).sort());
    for (const operation of Object.values(paths).flatMap(methods => Object.values(methods))) {
      expect(operation.operationId).toMatch(/^[a-z]+[A-Za-z]+$/);
      expect(operation.summary).not.toBe('');
      expect(operation.description).not.toBe('');
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(['200', '400', '401', '429', '500', '503']),
      );
    }
  });

  test('names each operation once', () => {
    const ids = Object.values(paths).flatMap(methods => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['sendMessage', 'sendOtp', 'verifyOtp', 'sendSms', 'listLogs']));
  });

  test('asks for the token of the area', () => {
    const securities = Object.fromEntries(
      Object.entries(paths).map(([path, { get, post }]) => [path, (get ?? post)?.security]),
    );
    expect(securities).toMatchObject({
      '/api/omni/send': [{ unifiedToken: [] }],
      '/api/sms/send': [{ smsToken: [] }],
      '/api/sms/otp/send': [{ otpToken: [] }],
      '/plants': [{ unifiedToken: [] }, { smsToken: [] }, { otpToken: [] }, { managementToken: [] }],
    });
  });

  test('gives every answer an example that its schema takes', () => {
    for (const [path, methods] of Object.entries(paths)) {
      for (const { responses } of Object.values(methods)) {
        for (const [status, { content }] of Object.entries(responses)) {
          const examples = Object.values(content).flatMap(({ examples }) => Object.values(examples));
          expect(examples.length, `${path} ${status}`).toBeGreaterThan(0);
          for (const { value } of examples) {
            const schema =
              status === '200' ? data[path as keyof typeof data] : path === '/plants' ? plantError : problem;
            const shown = status === '200' && path !== '/plants' ? value.data : value;
            expect(schema.safeParse(shown).error, `${path} ${status}`).toBeUndefined();
          }
        }
      }
    }
  });

  test('says of no absent member that it is there by default, which makes generators demand it', async () => {
    const { text } = await on.rest('GET', '/openapi.json');
    expect(text).not.toMatch(/"default":(?!\{"description")/);
    expect(await schemaAt('components', 'schemas', 'SendMessageInput', 'properties', 'deliveryMode', 'x-default')).toBe(
      'fallback',
    );
  });

  test('has a webhook for every event, with a sample that its schema takes', async () => {
    const webhooks = Object(await schemaAt('webhooks'));
    expect(Object.keys(webhooks)).toEqual(EVENTS.map(({ name }) => name));
    for (const { name, data } of EVENTS) {
      const { examples } = webhooks[name].post.requestBody.content['application/json'];
      expect(data.schema.safeParse(examples[name].value.data).error, name).toBeUndefined();
      for (const header of webhooks[name].post.parameters)
        expect(header.description, header.name).toEqual(expect.any(String));
    }
  });

  test.each(EVENTS)('takes the sample of a test of $name, which says that it is one', async ({ name, data }) => {
    const sample = JSON.parse(JSON.stringify(sampleData(name, new Date())));
    expect(data.schema.safeParse(sample)).toMatchObject({ data: { test: true } });
    const { schema } = Object(await schemaAt('webhooks', name)).post.requestBody.content['application/json'];
    const shown = Object(await schemaAt('components', 'schemas', schema.properties.data.$ref.split('/').at(-1)));
    expect(shown.properties.test).toMatchObject({ const: true });
    expect(shown.required).not.toContain('test');
  });

  test('gives the id of a plant as an integer of 64 bits', async () => {
    const id = await schemaAt('components', 'schemas', 'NewPlant', 'properties', 'id');
    expect(id).toMatchObject({ type: 'integer', format: 'int64' });
  });

  test('gives the limit of the log as an integer from 1 to 200', async () => {
    const [limit] = Object(await schemaAt('paths', '/api/omni/logs', 'get', 'parameters'));
    expect(limit.schema).toEqual({ type: 'integer', minimum: 1, maximum: 200, 'x-default': 50 });
  });

  test('lists the fields of a send as the interface does', async () => {
    const fields = await schemaAt('components', 'schemas', 'SendMessageInput', 'properties');
    expect(Object.keys(Object(fields)).sort()).toEqual(
      'to replyTo text channels deliveryMode fallbackAfter successStatus chatFrom sender cloudTemplate reference'
        .split(' ')
        .sort(),
    );
    expect(await schemaAt('components', 'schemas', 'SendMessageInput', 'required')).toEqual(['text']);
  });

  test('lists the fields of a direct SMS as the interface does, and no channel but sms', async () => {
    const { properties, required } = Object(await schemaAt('components', 'schemas', 'SendSmsInput'));
    expect(Object.keys(properties).sort()).toEqual(['channels', 'reference', 'sender', 'text', 'to']);
    expect(required.sort()).toEqual(['sender', 'text', 'to']);
    for (const name of ['SendSmsInput', 'SendSmsOtpInput']) {
      const channels = await schemaAt('components', 'schemas', name, 'properties', 'channels');
      expect(JSON.stringify(channels)).toContain('"enum":["sms"]');
    }
  });

  test('says how long a text may be, and nothing that every number or time is', async () => {
    const { text } = await on.rest('GET', '/openapi.json');
    expect(await schemaAt('components', 'schemas', 'SendMessageInput', 'properties', 'text')).toMatchObject({
      maxLength: 1_600,
    });
    expect(JSON.stringify(await schemaAt('components', 'schemas', 'SendOtpInput', 'properties', 'template'))).toContain(
      '"maxLength":1600',
    );
    expect(text).not.toContain('9007199254740991');
    expect(text).not.toMatch(/"format":"date-time","pattern"|"description":"Done"/);
  });

  test.each([
    ['SendOtpInput', 'channels deliveryMode fallbackAfter successStatus chatFrom sender cloudTemplate'],
    ['SendSmsOtpInput', 'channels sender'],
  ])('lists the fields of a passcode as the interface does: %s', async (name, routeFields) => {
    const fields = await schemaAt('components', 'schemas', name, 'properties');
    expect(Object.keys(Object(fields)).sort()).toEqual(
      `to length expiresIn template autofill clientIp ${routeFields}`.split(' ').sort(),
    );
    expect(await schemaAt('components', 'schemas', name, 'required')).toEqual(['to']);
  });

  test('gives the length and the time of a code with their ranges', async () => {
    const fields = Object(await schemaAt('components', 'schemas', 'SendOtpInput', 'properties'));
    expect(JSON.stringify(fields.length)).toContain('"minimum":4,"maximum":10');
    expect(JSON.stringify(fields.expiresIn)).toContain('"minimum":60,"maximum":3600');
    expect(fields.expiresIn.description).toContain('Seconds');
  });

  test.each(['/api/omni/otp/verify', '/api/sms/otp/verify'])('names the aliases of the code: %s', async path => {
    expect(paths[path]?.post?.description).toMatch(/`otp` and `code`/);
    const body = Object(await schemaAt('components', 'schemas', 'VerifyOtpBody'));
    expect(Object.keys(body.properties).sort()).toEqual(['clientIp', 'code', 'otp', 'pin', 'pinId']);
    expect(body.required).toEqual(['pinId']);
    expect(body.anyOf).toEqual([{ required: ['pin'] }, { required: ['otp'] }, { required: ['code'] }]);
  });

  test('says of no input that it takes nothing else', async () => {
    const schemas = Object(await schemaAt('components', 'schemas'));
    for (const name of [
      'SendMessageInput',
      'SendSmsInput',
      'SendOtpInput',
      'SendSmsOtpInput',
      'VerifyOtpBody',
      'NewPlant',
    ])
      expect(JSON.stringify(schemas[name])).not.toContain('"additionalProperties":false');
  });

  test('shows the documented members of a passcode by SMS, and no others', async () => {
    const data = Object(await schemaAt('components', 'schemas', 'SmsOtp'));
    expect(Object.keys(data.properties)).toEqual(['pinId', 'recipient', 'status']);
    expect(data.additionalProperties).toBe(false);
  });
});

describe('every method that is not documented is refused', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  const wrong = routes.flatMap(route => methods.filter(method => method !== route.method).map(m => [m, route.path]));

  test.each(wrong)('%s %s', async (method = '', path = '') => {
    const { status, headers } = await on.rest(method, path, { token: customer.tokens.unified });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe(routes.find(route => route.path === path)?.method);
  });
});

const DOCUMENTED_HEADERS = Object.keys(HEADERS);

describe('an answer is as documented', () => {
  /** A token that opens a path. */
  function tokenOf(path: string): string {
    if (path.startsWith('/api/sms/otp')) return customer.tokens.otp;
    return path.startsWith('/api/sms') ? customer.tokens.sms : customer.tokens.unified;
  }

  /** Calls that see most answers of a route. */
  async function answersOf(path: string): Promise<RestAnswer[]> {
    const token = tokenOf(path);
    if (path.endsWith('/logs')) {
      const queries = ['', '?limit=1', '?limit=0', '?cursor=x'];
      return Promise.all([
        ...queries.map(query => on.rest('GET', `${path}${query}`, { token })),
        on.rest('GET', path),
        on.rest('GET', path, { token: customer.tokens.management }),
      ]);
    }
    if (path.includes('/otp/')) return otpAnswersOf(path);
    const bodies: unknown[] =
      path === '/plants'
        ? [{ id: 1, name: 'a' }, { id: 1, name: 'b' }, { id: 2, name: 'c', tag: 'd' }, {}, '{']
        : [
            SMS,
            { ...EVERY_CHANNEL, deliveryMode: 'all' },
            { ...SMS, to: '12025550101' },
            { ...SMS, to: '12025550106' },
            { ...SMS, sender: 'OTHER' },
            ...INVALID_SENDS.map(({ body }) => body),
            { ...SMS, reference: 'same' },
          ];
    const answers: RestAnswer[] = [];
    for (const body of bodies) answers.push(await on.rest('POST', path, { token, body }));
    answers.push(
      await on.rest('POST', path, { token, body: { ...SMS, text: 'Other', reference: 'same' } }),
      await on.rest('POST', path, { body: SMS }),
      await on.rest('POST', path, { token: customer.tokens.management, body: path === '/plants' ? '{' : SMS }),
      await on.rest('POST', path, { token, body: ' '.repeat(65_537) }),
      await on.rest('POST', path, { token, body: '{}', headers: { 'content-type': 'text/plain' } }),
    );
    return answers;
  }

  async function otpAnswersOf(path: string): Promise<RestAnswer[]> {
    const area = path.startsWith('/api/sms') ? 'otp' : 'unified';
    const [right, wrong, late] = [
      await sendPin(on, customer, { area }),
      await sendPin(on, customer, { area }),
      await sendPin(on, customer, { area }),
    ];
    await expirePin(on, late.pinId);
    const ofPin = ({ pinId }: MadePin, pin: string) => ({ pinId, pin });
    const bodies = path.endsWith('/verify')
      ? [
          ofPin(right, right.code),
          ofPin(right, right.code),
          ...Array.from({ length: 6 }, (_, number) => ofPin(wrong, wrongCode(wrong, number))),
          ofPin(late, late.code),
          { pinId: 'pin_1', pin: '1' },
          { pinId: right.pinId, pin: '1', otp: '2' },
        ]
      : [
          { to: '+12025550100' },
          { to: '+12025550101' },
          { to: `+${right.recipient}` },
          { to: '+12025550100', sender: 'OTHER' },
          { to: '+12025550100', length: 3 },
        ];
    const answers: RestAnswer[] = [];
    for (const body of bodies) answers.push(await on.rest('POST', path, { token: tokenOf(path), body }));
    answers.push(await on.rest('POST', path, { token: customer.tokens.management, body: {} }));
    return answers;
  }

  /** The failures that no request of a test brings about; those of a full or slow gateway have tests of their own. */
  const ELSEWHERE = ['internal_error', 'overloaded', 'database_unavailable'];

  test.each(routes.map(route => [route.facts.id, route] as const))(
    'each failure of %s is met, and no other',
    async (_id, route) => {
      const { method, path } = route;
      const documented = Object.values(paths[path]?.[method.toLowerCase()]?.responses ?? {}).flatMap(
        answer => answer['x-codes'] ?? [],
      );
      const seen = new Set((await failuresOf(route)).map(({ body }) => body.code ?? ''));
      if (path === '/plants') return expect([...seen]).toEqual(['']);
      expect([...seen].sort()).toEqual(documented.filter(code => !ELSEWHERE.includes(code)).sort());
    },
  );

  const examples = routes
    .filter(({ path }) => !path.endsWith('/verify'))
    .flatMap(route => route.facts.examples.map(example => [route.facts.id, example.name, route, example] as const));

  test.each(examples)(
    'the example of %s works as it stands: %s',
    async (_id, _name, { method, path, facts, answer }, example) => {
      const demo = await on.customer({
        senders: [
          { channel: 'sms', address: 'DEMO', isDefault: true },
          { channel: 'chat_qr', address: '15550000001' },
        ],
      });
      const query = method === 'GET' ? `?${new URLSearchParams({ ...example.request } as Record<string, string>)}` : '';
      const { status, body } = await on.rest(method, `${path}${query}`, {
        token: demo.tokens[facts.area === 'any' ? 'unified' : facts.area],
        ...(method === 'POST' && { body: example.request }),
      });
      const shown = answer(example.result, 'req_1');
      expect(status).toBe(shown.status);
      expect(body.message).toBe(JSON.parse(shown.body).message);
      // The attempts are those that the example shows.
      const attemptsOf = (given: unknown) =>
        Object(Object(given).data).attempts?.map((made: object) => ({ ...made, ...VARIES }));
      expect(attemptsOf(body)).toEqual(attemptsOf(JSON.parse(shown.body)));
    },
  );

  /** Members that differ at each run. */
  const VARIES = { attemptId: '', startedAt: '', finishedAt: '' };

  /** Requests that bring about every failure of a route, but for those of `ELSEWHERE`. */
  async function failuresOf({ method, path, facts }: Route): Promise<RestAnswer[]> {
    const { area } = facts;
    const of = area === 'any' ? 'unified' : area;
    const ask = (who: Customer | null, body?: unknown, headers = {}) =>
      on.rest(method, method === 'GET' && body ? `${path}?limit=${Object(body).limit}` : path, {
        token: who?.tokens[of],
        ...(method === 'POST' && { body, headers }),
      });
    const good = facts.examples[0]?.request ?? {};
    const [off, over, slow] = await Promise.all([
      on.customer({ unifiedApi: false }),
      on.customer({ planExpiresAt: new Date(0) }),
      on.customer({ rateLimit: 1 }),
    ]);
    const answers = [
      await ask(customer, facts.badRequest),
      await ask(null, good),
      await on.rest(method, path, {
        token: customer.tokens[of === 'sms' ? 'otp' : 'sms'],
        ...(method === 'POST' && { body: good }),
      }),
      await ask(off, facts.badRequest),
      await ask(over, facts.badRequest),
      ...(await Promise.all(Array.from({ length: 8 }, () => ask(slow, good)))),
    ];
    if (method === 'POST')
      answers.push(
        await ask(customer, '{'),
        await ask(customer, ' '.repeat(65_537)),
        await ask(customer, '{}', { 'content-type': 'text/plain' }),
      );
    if (path.endsWith('/send')) answers.push(...(await failedSends(path, ask)));
    if (path.endsWith('/verify')) answers.push(...(await otpAnswersOf(path)));
    return answers.filter(({ status }) => status !== 200);
  }

  async function failedSends(
    path: string,
    ask: (who: Customer, body: object) => Promise<RestAnswer>,
  ): Promise<RestAnswer[]> {
    const body = path.includes('/otp/') ? {} : { text: 'Quiet harbour', sender: SMS.sender };
    const [poor, stopped] = [await on.customer({ credits: 0 }), await on.customer()];
    await on.graphql(
      'mutation { suppress(input: { to: "+12025550166" }) { id } updateOptOutSettings(input: { stopsOtps: true }) { stopsOtps } }',
      { token: stopped.tokens.management },
    );
    const to = '+12025550100';
    const slow = { ...body, to: '+12025550107', reference: 'slow' };
    const answers = [
      await ask(poor, { ...body, to }),
      await ask(stopped, { ...body, to: '+12025550166' }),
      await ask(customer, { ...body, to, sender: 'OTHER' }),
      await ask(customer, { ...body, to: '+12025550101' }),
    ];
    if (path.includes('/otp/'))
      return [...answers, await ask(customer, { to: '+12025550198' }), await ask(customer, { to: '+12025550198' })];
    const [first, second] = await Promise.all([ask(customer, slow), ask(customer, slow)]);
    return [...answers, first, second, await ask(customer, { ...slow, text: 'Other' })];
  }

  test.each(routes.map(route => [route.method, route.path] as const))('%s %s', async (method, path) => {
    const answers = await answersOf(path);
    const documented = paths[path]?.[method.toLowerCase()]?.responses ?? {};
    for (const { status, body, headers } of answers) {
      const type = headers.get('content-type')?.split(';')[0] ?? '';
      const answer = documented[String(status)];
      expect(Object.keys(answer?.content ?? {})).toEqual([type]);
      const told = DOCUMENTED_HEADERS.filter(name => headers.has(name));
      expect(Object.keys(answer?.headers ?? {})).toEqual(expect.arrayContaining(told));
      if (path === '/plants') {
        expect((status === 200 ? plantData : plantError).safeParse(body).error).toBeUndefined();
      } else if (status === 200) {
        expect(data[path as keyof typeof data].safeParse(body.data).error).toBeUndefined();
      } else {
        expect(problem.safeParse(body).error).toBeUndefined();
      }
    }
    expect(new Set(answers.map(answer => answer.status)).size).toBeGreaterThanOrEqual(3);
    const otpStatuses = path.endsWith('/otp/verify') ? [200, 400, 403, 404, 409, 410, 423] : [200, 400, 403, 429, 502];
    if (/otp\/(send|verify)$/.test(path)) {
      expect([...new Set(answers.map(answer => answer.status))].sort()).toEqual(otpStatuses);
    }
  });
});
