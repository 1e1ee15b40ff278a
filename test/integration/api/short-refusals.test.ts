/** Whatever is sent, its refusal is short: at most 4 KiB and 20 faults, and little of what was sent comes back. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Area } from '../../../src/kernel/crypto/secrets.ts';
import { routes } from '../../../src/rest/routes.ts';
import type { RestAnswer } from '../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { assertProperty } from '../../support/runner/properties.ts';
import { rounds } from '../../support/runner/rounds.ts';

const BYTES_MAX = 4_096;
const FAULTS_MAX = 20;
const REPEATED_MAX = 100;
const RUNS = rounds({ usual: 9, long: 120 });

const on = setUpApp();
const customer = setUpCustomer(on);

/** The texts of a JSON value, names too. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

/** Whether one text holds so many characters in a row of the other. */
function repeats(told: string, given: string): boolean {
  const length = REPEATED_MAX + 1;
  const runs = new Set(
    Array.from({ length: Math.max(0, told.length - REPEATED_MAX) }, (_, at) => told.slice(at, at + length)),
  );
  for (let at = 0; runs.size > 0 && at + length <= given.length; at++)
    if (runs.has(given.slice(at, at + length))) return true;
  return false;
}

function expectShort({ text, body }: RestAnswer, given: readonly string[]): void {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES_MAX);
  const faults = Array.isArray(body.errors) ? body.errors : [];
  expect(faults.length).toBeLessThanOrEqual(FAULTS_MAX);
  const inner = faults.map((fault: { extensions?: { errors?: unknown[] } }) => fault.extensions?.errors?.length ?? 0);
  expect(Math.max(0, ...inner)).toBeLessThanOrEqual(FAULTS_MAX);
  const told = textsOf(body).filter(one => one.length > REPEATED_MAX);
  const long = given.filter(one => one.length > REPEATED_MAX);
  expect(told.flatMap(one => long.filter(other => repeats(one, other)))).toEqual([]);
}

/** Characters that are dear in JSON, that are halves, and that are plain. */
const letter = fc.constantFrom(
  'a',
  'Z',
  '"',
  '\\',
  '\u0000',
  '\u001f',
  '\ud800',
  '\udc00',
  '😀',
  '漢',
  '\u202e',
  ' ',
  '\n',
  '{',
  '$',
);
const text = fc.oneof(
  fc.string({ unit: letter, maxLength: 40 }),
  fc.tuple(letter, fc.integer({ min: 90, max: 8_000 })).map(([one, count]) => one.repeat(count)),
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: letter, minLength: 200, maxLength: 2_000 }),
);
const deep = fc
  .integer({ min: 1, max: 40 })
  .map(levels => JSON.parse(`${'{"a":['.repeat(levels)}${']}'.repeat(levels)}`));
const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.bigInt().map(Number),
  deep,
  fc.array(text, { maxLength: 30 }),
);

const NAMES = [...new Set(routes.flatMap(({ facts }) => Object.keys(Reflect.get(facts.input, 'shape') ?? {})))];

/** Names of ours, in ways that are nearly right. */
const near = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom('_', 's', '-', '\u0000', '😀'), fc.nat(3))
  .map(([name, mark, count]) => name.toUpperCase() + mark.repeat(count === 3 ? 60 : count));
const name = fc.oneof(fc.constantFrom(...NAMES), near, text, fc.string({ minLength: 1, maxLength: 3 }));

/** Hostile bodies. No recipient among them is a number: nothing is sent. */
const fields = fc.array(fc.tuple(name, value), { maxLength: 60 }).map(entries => Object.fromEntries(entries));
const crowd = fc
  .record({ stem: fc.constantFrom('a', 'Sender', 'pin_', '漢'), count: fc.integer({ min: 1, max: 9_000 }) })
  .map(({ stem, count }) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${stem}${index}`, 1])));
/** Every way to write a name that is nearly one of ours. */
const nearCrowd = fc
  .constantFrom(...NAMES)
  .map(written =>
    Object.fromEntries(
      Array.from(written, (_, at) =>
        Array.from('abcdefghijklmnopqrstuvwxyz0123456789\u0000漢', one => [
          written.slice(0, at) + one + written.slice(at + 1),
          1,
        ]),
      ).flat(),
    ),
  );
const body = fc.oneof(
  { weight: 4, arbitrary: fields },
  crowd,
  nearCrowd,
  fc.tuple(fc.oneof(crowd, nearCrowd), fields).map(([many, few]) => ({ ...many, ...few })),
  value,
);

const POSTS = routes.filter(({ method }) => method === 'POST');
const areaOf = (area: Area | 'any'): Area => (area === 'any' ? 'unified' : area);

describe.each(POSTS.map(route => [route.path, route] as const))('POST %s', (path, { facts }) => {
  const post = (sent: unknown) =>
    on.rest('POST', path, {
      token: customer.tokens[areaOf(facts.area)],
      body: typeof sent === 'string' ? sent : JSON.stringify(sent),
    });

  test('answers any object in 4 KiB', { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(body, async sent => {
      const answer = await post(JSON.stringify(sent));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expectShort(answer, textsOf(sent));
    });
    await assertProperty(property, { numRuns: RUNS });
  });

  test('answers any text in 4 KiB', { timeout: 60_000 }, async () => {
    const texts = fc.oneof(
      text,
      text.map(inner => `{"${inner}`),
      deep.map(inner => JSON.stringify(inner).slice(1)),
    );
    const property = fc.asyncProperty(texts, async sent => {
      const answer = await post(sent);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expectShort(answer, [sent]);
    });
    await assertProperty(property, { numRuns: RUNS / 3 });
  });

  test('says of hundreds of its names, nearly written, how many more there are', async () => {
    for (const field of Object.keys(Reflect.get(facts.input, 'shape'))) {
      const marks = Array.from({ length: 700 }, (_, index) => [
        `${'_'.repeat(index % 30)}${field}${'-'.repeat(1 + index / 30)}`,
        1,
      ]);
      const answer = await post(Object.fromEntries(marks));
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/; and \d{3,4} more$/);
      expectShort(answer, []);
    }
  });
});

test.each(['/api/omni/logs', '/api/sms/otp/logs'])('GET %s answers any query in 4 KiB', async path => {
  const parameters = fc.array(
    fc.tuple(fc.oneof(fc.constantFrom('limit', 'cursor', 'Limit', 'cursors', 'limit_'), name), text),
    { minLength: 1, maxLength: 20 },
  );
  const property = fc.asyncProperty(parameters, async entries => {
    const query = new URLSearchParams(entries.map(([key, one]) => [key.toWellFormed(), one.toWellFormed()]));
    const answer = await on.rest('GET', `${path}?Limit=1&${query}`, {
      token: customer.tokens[path.includes('otp') ? 'otp' : 'unified'],
    });
    expect(answer.status).toBe(400);
    expectShort(answer, entries.flat());
  });
  await assertProperty(property, { numRuns: RUNS });
});

/** Ways by which a fault comes into a document. */
const OPERATIONS = {
  sendMessage: 'mutation ($v: SendMessageInput!) { sendMessage(input: $v) { status } }',
  sendOtp: 'mutation ($v: SendOtpInput!) { sendOtp(input: $v) { status } }',
  createPlant: 'mutation ($v: NewPlantInput!) { createPlant(input: $v) { id } }',
  logs: 'query ($v: LogFilter) { logs(filter: $v) { nodes { id } } }',
  from: 'query ($v: DateTime) { logs(filter: { from: $v }) { nodes { id } } }',
  channel: 'query ($v: Channel) { logs(filter: { channel: $v }) { nodes { id } } }',
  types: 'query ($v: [LogType!]) { logs(filter: { types: $v }) { nodes { id } } }',
  first: 'query ($v: Int) { logs(first: $v) { nodes { id } } }',
  after: 'query ($v: BigInt) { plants(after: $v) { id } }',
  cursor: 'query ($v: String) { logs(after: $v) { nodes { id } } }',
  components:
    'mutation ($v: [JSONObject!]) { sendMessage(input: { to: "x", text: "", cloudTemplate: { name: "", language: "", components: $v } }) { status } }',
} as const;

describe.each(['application/json', 'application/graphql-response+json'])('GraphQL as %s', accept => {
  const ask = async (sent: unknown, given: readonly string[]) => {
    const token = customer.tokens.unified;
    const answer = await on.rest('POST', '/graphql', { token, body: JSON.stringify(sent), headers: { accept } });
    expect(answer.status).toBeLessThan(500);
    if (answer.status === 200 && answer.body.errors === undefined) return;
    expectShort(answer, given);
    expect(answer.text).not.toContain('INTERNAL_ERROR');
  };

  test.each(Object.entries(OPERATIONS))(
    'answers any variable in 4 KiB: %s',
    { timeout: 60_000 },
    async (_name, query) => {
      const property = fc.asyncProperty(body, sent => ask({ query, variables: { v: sent } }, textsOf(sent)));
      await assertProperty(property, { numRuns: RUNS / 3 });
    },
  );

  const word = fc.oneof(
    fc.constantFrom('a', 'Account', 'logs', 'id'),
    fc.integer({ min: 50, max: 5_000 }).map(count => 'n'.repeat(count)),
  );
  const quoted = text.map(one => JSON.stringify(one));
  const literal = fc.oneof(
    quoted,
    word,
    word.map(one => `$${one}`),
    fc.constantFrom('1', '1e9', '-', 'null', '[', '{', '}'),
    quoted.map(one => `[${one}]`),
    fc.tuple(word, quoted).map(([key, one]) => `{ ${key}: ${one}, ${key}b: ${key} }`),
    quoted.map(one => `""${one}""`),
  );
  const places: readonly ((one: string) => string)[] = [
    one => `{ logs(filter: { from: ${one} }) { nodes { id } } }`,
    one => `{ logs(filter: { channel: ${one} }) { nodes { id } } }`,
    one => `{ logs(filter: ${one}) { nodes { id } } }`,
    one => `{ logs(first: ${one}) { nodes { id } } }`,
    one => `{ plants(after: ${one}) { id } }`,
    one => `mutation { sendMessage(input: ${one}) { status } }`,
    one => `mutation { createPlant(input: { id: ${one}, name: ${one} }) { id } }`,
    one => `mutation { sendMessage(input: { to: ${one}, text: "", ${one}: 1 }) { status } }`,
    one => one,
    one => `{ ${one} }`,
    one => `query ${one} { account { id } }`,
    one => `query ($a: ${one}) { account { id } }`,
    one => `query ($${one}: Int) { account { id } }`,
    one => `{ account { ...${one} } }`,
    one => `{ account { ... on ${one} { id } } }`,
    one => `{ account { id @${one} } }`,
    one => `{ account(${one}: 1) { id } }`,
    one => `{ ${one}: account { id } ${one}: nothing }`,
    one => `{ ${one}: account { id } }`,
    one => `{ ${one}: message(id: 1) { id } }`,
    one => `{ a: account { id } } fragment ${one} on Account { id }`,
  ];

  test('answers any document in 4 KiB', { timeout: 120_000 }, async () => {
    const property = fc.asyncProperty(fc.constantFrom(...places), literal, async (place, one) => {
      const query = place(one);
      await ask({ query }, [query, ...textsOf(one)]);
    });
    await assertProperty(property, { numRuns: RUNS * 5 });
  });

  test('answers any request in 4 KiB', { timeout: 60_000 }, async () => {
    const query = '{ account { id } }';
    const property = fc.asyncProperty(fields, text, fc.nat(3), async (many, one, which) => {
      const requests = [
        { ...many },
        { query, ...many },
        { query, operationName: one },
        { query, extensions: many, documentId: one, [one]: 1 },
      ];
      await ask(requests[which], [...textsOf(many), one]);
    });
    await assertProperty(property, { numRuns: RUNS });
  });

  test.each([
    [
      'ten fields that fail, with long names',
      `{ ${Array.from({ length: 10 }, (_, at) => `${'n'.repeat(99)}${at}: logs(after: "${at}") { nodes { id } }`).join(' ')} }`,
    ],
    [
      'ten fields that fail with many faults',
      `{ ${Array.from({ length: 10 }, (_, at) => `${'n'.repeat(99)}${at}: logs(first: 0, after: "", filter: { sender: "", messageId: "", pinId: "", reference: "\\u0000", types: [] }) { nodes { id } }`).join(' ')} }`,
    ],
    ['one field as often as tokens allow', `{ ${'logs(after: "x") { nodes { id } } '.repeat(9)} }`],
    ['a name as an argument, 300 times', `{ account(${'a: 1 '.repeat(300)}) { id } }`],
    [
      'a hundred fragments in a circle',
      `{ account { ...F0 } } ${Array.from({ length: 100 }, (_, at) => `fragment F${at} on Account { ...F${(at + 1) % 100} }`).join(' ')}`,
    ],
    [
      'a type 480 lists deep',
      `query ($a: ${'['.repeat(300)}Int${']'.repeat(300)}) { logs(first: $a) { nodes { id } } }`,
    ],
    ['60,000 characters of a date', `{ logs(filter: { from: "${'1'.repeat(60_000)}" }) { nodes { id } } }`],
    ['60,000 characters of a word', `{ logs(filter: { channel: ${'A'.repeat(60_000)} }) { nodes { id } } }`],
  ])('answers %s in 4 KiB', async (_name, query) => {
    const answer = await on.rest('POST', '/graphql', {
      token: customer.tokens.unified,
      body: { query },
      headers: { accept },
    });
    expect(answer.body.errors?.length).toBeGreaterThan(0);
    expectShort(answer, [query]);
  });
});

test('an alias that no answer could repeat is refused', async () => {
  const token = customer.tokens.unified;
  const query = (length: number) => `{ ${'a'.repeat(length)}: account { id } }`;
  expect((await on.graphql(query(100), { token })).errors).toBeNull();
  expect((await on.graphql(query(101), { token })).errors).toMatchObject([
    { message: 'The document has an alias that is too long.' },
  ]);
});

test('the id of a request comes back where it is a short word, and nothing else that was sent beside the body', async () => {
  const long = 'x'.repeat(200);
  for (const [method, path] of [
    ['GET', `/${long}`],
    [long, '/api/omni/send'],
    ['POST', `/api/omni/send/${long}`],
    ['POST', '/api/omni/send'],
  ] as const) {
    const headers = {
      'x-request-id': long,
      'idempotency-key': long.repeat(3),
      'content-type': long,
      'x-account-id': long,
      authorization: `Bearer ${long}`,
    };
    const answer = await on.rest(method, path, { headers, ...(method === 'POST' && { body: '{}' }) });
    expectShort(answer, [long]);
    expect(JSON.stringify([...answer.headers])).not.toContain(long);
  }
});
