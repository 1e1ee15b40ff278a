import { describe, expect, test } from 'vitest';
import { BODY_BYTES_MAX } from '../../../../src/rest/json-body.ts';
import { plantError } from '../../../../src/rest/schemas.ts';
import type { Customer, RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

/** A plant with the id as it stands in the text: JSON in JavaScript would round it. */
function create(id: string, of: Customer = customer, rest = '"name":"Monstera"'): Promise<RestAnswer> {
  return on.rest('POST', '/plants', { token: of.tokens.unified, body: `{"id":${id},${rest}}` });
}

function expectError(answer: RestAnswer, status: number): void {
  expect(answer.status).toBe(status);
  expect(Object.keys(plantError.parse(answer.body))).toEqual(['error', 'message']);
  expect(answer.body.error).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

async function storedIds(of: Customer): Promise<unknown> {
  const query = '{ plants { id } }';
  const { data } = await on.graphql<{ plants: { id: unknown }[] }>(query, { token: of.tokens.unified });
  return data?.plants.map(plant => String(plant.id));
}

describe('a plant', () => {
  test('without a tag is answered with exactly its name', async () => {
    const { status, text } = await create('1', await on.customer());
    expect([status, text]).toEqual([200, '{"name":"Monstera"}']);
  });

  test('with a tag is answered with exactly both', async () => {
    const { text } = await create('1', await on.customer(), '"tag":"indoor","name":"Fern"');
    expect(text).toBe('{"name":"Fern","tag":"indoor"}');
  });

  test.each(['unified', 'sms', 'otp', 'management'] as const)('is taken with a token of the area %s', async area => {
    const own = await on.customer({ unifiedApi: false });
    const { status } = await on.rest('POST', '/plants', { token: own.tokens[area], body: { id: 1, name: 'Fern' } });
    expect(status).toBe(200);
  });

  test.each([
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['-1', '-1'],
    ['1e3', '1000'],
    ['5.0', '5'],
    ['1.5e1', '15'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775806', '9223372036854775806'],
    ['9223372036854775807', '9223372036854775807'],
    ['9.223372036854775807e18', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ])('keeps the id %s to the last digit', async (id, kept) => {
    const own = await on.customer();
    expect((await create(id, own)).status).toBe(200);
    await expect(storedIds(own)).resolves.toEqual([kept]);
  });

  test('may have the id that another account has', async () => {
    const [one, two] = [await on.customer(), await on.customer()];
    expect((await create('7', one)).status).toBe(200);
    expect((await create('7', two)).status).toBe(200);
  });
});

describe('a plant is refused', () => {
  test.each([
    '9223372036854775808',
    '-9223372036854775809',
    '9.223372036854775808e18',
    '99999999999999999999999999999999999999999999999',
    '1e400',
    '1.5',
    '9007199254740993.5',
    '1.00000000000000000000001',
    '1e-1',
    '"1"',
    '""',
    'true',
    'null',
    '[]',
    '{}',
  ])('with the id %s', async id => {
    const answer = await create(id);
    expectError(answer, 400);
    expect(answer.body.message).toContain('id');
  });

  test('with an id that is taken, and the first one stays', async () => {
    const own = await on.customer();
    await create('1', own, '"name":"First"');
    expectError(await create('1', own, '"name":"Second"'), 400);
    const { data } = await on.graphql('{ plants { name } }', { token: own.tokens.unified });
    expect(data).toEqual({ plants: [{ name: 'First' }] });
  });

  test('with an id that is taken at the same moment, but for one of them', async () => {
    const own = await on.customer();
    const answers = await Promise.all(Array.from({ length: 5 }, () => create('1', own)));
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 400, 400, 400, 400]);
  });

  test.each([
    ['no id', '{"name":"Fern"}', 'id: is required'],
    ['no name', '{"id":1}', 'name: is required'],
    ['a name that is no text', '{"id":1,"name":5}', 'name: must be a string'],
    ['an empty name', '{"id":1,"name":""}', 'name: must not be empty'],
    ['NUL in the name', '{"id":1,"name":"\\u0000"}', 'name: holds a character that cannot be stored'],
    [
      'half a character in the tag',
      '{"id":1,"name":"a","tag":"\\ud800"}',
      'tag: holds a character that cannot be stored',
    ],
    ['a tag that is no text', '{"id":1,"name":"a","tag":5}', 'tag: must be a string'],
    ['a list', '[1]', 'body: must be a JSON object'],
    ['no JSON', '{"id":1', 'The body is not valid JSON.'],
    ['nothing', '', 'The body is not valid JSON.'],
  ])('with %s', async (_name, body, message) => {
    const answer = await on.rest('POST', '/plants', { token: customer.tokens.otp, body });
    expectError(answer, 400);
    expect(answer.body.message).toBe(message);
  });

  test.each([null, 'hg_uni_never'])('with the token %s', async token => {
    const answer = await on.rest('POST', '/plants', { token, body: { id: 1, name: 'a' } });
    expectError(answer, 401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('by %s', async method => {
    const answer = await on.rest(method, '/plants', { token: customer.tokens.otp });
    expectError(answer, 405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('with more than 64 KiB', async () => {
    const body = '{"id":1,"name":"a"}'.padEnd(BODY_BYTES_MAX + 1);
    expectError(await on.rest('POST', '/plants', { token: customer.tokens.otp, body }), 413);
  });

  test('as a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expectError(await on.rest('POST', '/plants', { token: customer.tokens.otp, body: 'id=1', headers }), 415);
  });
});
