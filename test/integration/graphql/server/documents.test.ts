import { describe, expect, test } from 'vitest';
import { OPERATOR_TOKEN, type RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { measureCpu } from '../../../support/measure-cpu.ts';
import { type MadePin, storedPin, wrongCode } from '../../../support/otp/pins.ts';
import { sendPin } from '../../../support/otp/rest-calls.ts';

const on = setUpApp();
const customer = setUpCustomer(on);

describe('a document', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    on.rest('POST', '/graphql', { token: customer.tokens.unified, body, headers });

  test.each<[string, unknown, number]>([
    ['in a list of documents', [{ query: '{ __typename }' }], 400],
    ['without a query', {}, 400],
    ['with a query that is no text', { query: 5 }, 400],
    ['with variables that are no object', { query: '{ __typename }', variables: 5 }, 400],
  ])('%s is refused', async (_name, body, status) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.body.data).toBeUndefined();
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'as %s is refused',
    async type => {
      const { status, body } = await post({ query: '{ __typename }' }, { 'content-type': type });
      expect(status).toBe(415);
      expect(body.errors).toMatchObject([{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }]);
    },
  );

  test('that changes something is refused by GET', async () => {
    const query = encodeURIComponent('mutation { migrate }');
    const { status } = await on.rest('GET', `/graphql?query=${query}`, { token: OPERATOR_TOKEN });
    expect(status).toBe(405);
  });

  test('is answered by GET where it reads', async () => {
    const query = encodeURIComponent('{ account { accountId } }');
    const { status, body } = await on.rest('GET', `/graphql?query=${query}`, { token: customer.tokens.unified });
    expect([status, body.data]).toEqual([200, { account: { accountId: customer.accountId } }]);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('by %s is refused', async method => {
    const { status, headers } = await on.rest(method, '/graphql');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
  });

  test.each([
    ['that is nested 10,000 deep', '{a'.repeat(10_000)],
    ['that is nested 900 deep', `{${'__schema{types{fields{type{'.repeat(225)}`],
    ['of 15,000 fields', `{${'a '.repeat(15_000)}}`],
    ['of one field 5,000 times', `{${'__typename '.repeat(5_000)}}`],
    ['that is none', '{'],
    ['with a field that does not exist', '{ nothing }'],
  ])('%s is refused at once, and not as an unexpected error', async (_name, query) => {
    const { result, cpuMs } = await measureCpu(() => on.graphql(query));
    expect(cpuMs).toBeLessThan(1_000);
    expect(result.data).toBeNull();
    for (const error of result.errors ?? []) {
      expect(error.extensions.code).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/);
    }
  });

  test('of the type application/graphql-response+json that is refused has status 400', async () => {
    const accept = { accept: 'application/graphql-response+json' };
    const answer = await post({ query: '{ nothing }' }, accept);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/graphql-response+json');
  });

  describe.each([
    ['several operations of which none is named', { query: 'query A { __typename } query B { __typename }' }],
    ['an operation that has another name', { query: 'query A { __typename }', operationName: 'B' }],
    ['fragments alone', { query: 'fragment A on Query { __typename }' }],
  ])('with %s', (_name, body) => {
    // "Operation cannot be determined" of GraphQL over HTTP.
    test.each([
      ['application/json', 200],
      ['application/graphql-response+json', 400],
    ])('is refused as %s with status %i', async (accept, status) => {
      const answer = await post(body, { accept });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([status, `${accept}; charset=utf-8`]);
      expect(answer.body.data).toBeUndefined();
      expect(answer.body.errors).toHaveLength(1);
    });
  });

  test('whose operation has a name that is no text is no request', async () => {
    const { status, body } = await post({ query: '{ __typename }', operationName: 5 });
    const errors = [{ field: 'operationName', message: 'must be a string' }];
    expect([status, body.errors]).toMatchObject([400, [{ extensions: { code: 'INVALID_INPUT', errors } }]]);
  });
});

describe('many guesses in one request', () => {
  const HEAD = 'mutation($i:VerifyOtpInput!)';
  const ON = 'on Mutation';
  const FIELD = 'verifyOtp(input:$i){id}';
  const aliases = (count: number, start = 0): string =>
    Array.from({ length: count }, (_, index) => `a${start + index}:${FIELD}`).join(' ');
  const AT_MOST_ONE = /An operation holds at most one of verifyOtp[,.]/;
  /** By that rule, or by the limits of documents, whichever comes first. */
  const REFUSED = /An operation holds at most one of|The document (is too long|asks for too many fields at its root)/;

  /** Asks with the wrong code of a pin of its own, which each of the guesses would be counted for. */
  async function guess(bodyOf: (variables: { i: object }, pin: MadePin) => unknown): Promise<[RestAnswer, MadePin]> {
    const own = await on.customer();
    const pin = await sendPin(on, own);
    const variables = { i: { pinId: pin.pinId, pin: wrongCode(pin) } };
    return [await on.rest('POST', '/graphql', { token: own.tokens.unified, body: bodyOf(variables, pin) }), pin];
  }

  async function expectNoGuess(pin: MadePin): Promise<void> {
    await expect(storedPin(on.sql, pin.pinId)).resolves.toEqual({
      status: 'sent',
      attempts: 0,
      log: { otp_attempt: 1 },
    });
  }

  test.each<[string, string]>([
    ['two aliases', `${HEAD}{${aliases(2)}}`],
    ['150 aliases', `${HEAD}{${aliases(150)}}`],
    ['the field and an alias', `${HEAD}{${FIELD} a:${FIELD}}`],
    ['a fragment', `${HEAD}{...F} fragment F ${ON}{${aliases(2)}}`],
    ['the field and a fragment', `${HEAD}{${FIELD} ...F} fragment F ${ON}{a:${FIELD}}`],
    ['a fragment that is spread twice', `${HEAD}{...F ...F} fragment F ${ON}{${FIELD}}`],
    [
      'fragments inside fragments, 10,000 fields in all',
      `${HEAD}{${'...A '.repeat(10)}} ${['A B', 'B C', 'C D']
        .map(pair => pair.split(' '))
        .map(([name, next]) => `fragment ${name} ${ON}{${`...${next} `.repeat(10)}}`)
        .join(' ')} fragment D ${ON}{${aliases(1)}}`,
    ],
    ['inline fragments', `${HEAD}{...${ON}{${aliases(1)}} ...${ON}{${aliases(1, 1)}}}`],
    ['inline fragments without a type', `${HEAD}{...{${aliases(1)}} ...{...{${aliases(1, 1)}}}}`],
    ['@skip', `${HEAD}{${FIELD} a:verifyOtp(input:$i)@skip(if:true){id}}`],
    ['@include', `${HEAD}{${FIELD} a:verifyOtp(input:$i)@include(if:false){id}}`],
    [
      '@include by a variable',
      `mutation($i:VerifyOtpInput! $n:Boolean=false){a:verifyOtp(input:$i)@include(if:$n){id} ${FIELD}}`,
    ],
    ['@skip on fragments', `${HEAD}{...F@skip(if:true) ...@include(if:true){${FIELD}}} fragment F ${ON}{a:${FIELD}}`],
    ['another field that sends', `${HEAD}{${FIELD} sendOtp(input:{to:"+12025550100"}){id}}`],
    ['the same passcode sent again', `${HEAD}{${FIELD} resendOtp(input:{pinId:"pin_1"}){id}}`],
  ])('are refused before any of them is looked at, by %s', async (_name, query) => {
    const [answer, pin] = await guess(variables => ({ query, variables }));
    expect(answer.status).toBe(200);
    expect(answer.body.data ?? null).toBeNull();
    expect(answer.text).toMatch(REFUSED);
    await expectNoGuess(pin);
  });

  test('are refused by 10,000 aliases, whose document is too large', async () => {
    const [answer, pin] = await guess(variables => ({ query: `${HEAD}{${aliases(10_000)}}`, variables }));
    expect(answer.status).toBe(413);
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'BODY_TOO_LARGE' } }]);
    await expectNoGuess(pin);
  });

  test('are refused by as many aliases as a body holds', async () => {
    const [answer, pin] = await guess(variables => {
      const query = `${HEAD}{${aliases(2_200)}}`;
      expect(JSON.stringify({ query, variables }).length).toBeGreaterThan(60_000);
      return { query, variables };
    });
    expect(answer.body.data ?? null).toBeNull();
    expect(answer.text).toMatch(/The document is too long/);
    await expectNoGuess(pin);
  });

  test('are refused with the whole document, whichever of its operations is asked for', async () => {
    const query = `${HEAD.replace('(', ' One(')}{${FIELD}} ${HEAD.replace('(', ' Two(')}{${aliases(2)}}`;
    const [answer, pin] = await guess(variables => ({ query, variables, operationName: 'One' }));
    expect(answer.body.data ?? null).toBeNull();
    expect(answer.text).toMatch(AT_MOST_ONE);
    await expectNoGuess(pin);
  });

  const operations = (count: number): string =>
    Array.from({ length: count }, (_, index) => `${HEAD.replace('(', ` O${index}(`)}{${FIELD}}`).join(' ');

  test('are refused by several operations where none is named', async () => {
    const [answer, pin] = await guess(variables => ({ query: operations(20), variables }));
    expect(answer.body.data ?? null).toBeNull();
    expect(answer.body.errors).toHaveLength(1);
    await expectNoGuess(pin);
  });

  test('are one by several operations of which one is named', async () => {
    const [answer, pin] = await guess(variables => ({ query: operations(20), variables, operationName: 'O7' }));
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'OTP_INCORRECT', attemptsRemaining: 4 } }]);
    await expect(storedPin(on.sql, pin.pinId)).resolves.toMatchObject({ attempts: 1 });
  });

  test.each([2, 300])('are refused by a list of %i documents', async count => {
    const [answer, pin] = await guess(variables =>
      Array.from({ length: count }, () => ({ query: `${HEAD}{${FIELD}}`, variables })),
    );
    expect(answer.status).toBe(400);
    expect(answer.body.data).toBeUndefined();
    await expectNoGuess(pin);
  });

  test('are refused where the same field is written twice', async () => {
    // GraphQL merges them; the rule refuses them all the same, since it counts what is written.
    const [answer, pin] = await guess(variables => ({ query: `${HEAD}{${FIELD} ${FIELD}}`, variables }));
    expect(answer.text).toMatch(AT_MOST_ONE);
    await expectNoGuess(pin);
  });

  test('are refused by GET', async () => {
    const own = await on.customer();
    const pin = await sendPin(on, own);
    const input = `{pinId:"${pin.pinId}",pin:"${wrongCode(pin)}"}`;
    const query = encodeURIComponent(`mutation{verifyOtp(input:${input}){id}}`);
    const { status } = await on.rest('GET', `/graphql?query=${query}`, { token: own.tokens.unified });
    expect(status).toBe(405);
    await expectNoGuess(pin);
  });
});
