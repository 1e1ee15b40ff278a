import { expect, test } from 'vitest';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { Told } from '../../support/leaks/leak-scan.ts';

const CODE = '314159';
const TEMPLATE = 'Quiet harbour';
const PIN = `pin_${'5'.repeat(32)}`;
const told = new Told();
const t = setUpApp({ log: told.logger() });
const customer = setUpCustomer(t);

const WRONG: [string, unknown][] = [
  ['a number', Number(CODE)],
  ['a fraction', Number(`${CODE}.5`)],
  ['a list', [CODE]],
  ['an object', { code: CODE }],
  ['letters', `${CODE}x`],
  ['long, and not of digits alone', `${CODE.repeat(9)} `],
];

test.each(WRONG)('by REST: a pin that is %s', async (_what, pin) => {
  for (const name of ['pin', 'otp', 'code']) {
    const body = { pinId: PIN, [name]: pin };
    const { status, text } = await t.rest('POST', '/api/sms/otp/verify', { token: customer.tokens.otp, body });
    expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining(`"field":"${name}"`) });
    expect(text).not.toContain(CODE);
  }
});

test.each(WRONG)('by GraphQL: a pin in a variable that is %s', async (_what, pin) => {
  const query = 'mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }';
  const variables = { input: { pinId: PIN, pin } };
  const { text, errors } = await t.graphql(query, { token: customer.tokens.unified, variables });
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', errors: [{ field: 'pin' }] } }]);
  expect(text).not.toContain(CODE);
});

test.each([
  `pin: ${CODE}`,
  `pin: -${CODE}`,
  `pin: ${CODE}.5`,
  `pin: [${CODE}]`,
  `pin: { code: ${CODE} }`,
  `pin: "${CODE}" "${CODE}"`,
  `pin: "${CODE}", guess: 1`,
  `pin: ${CODE} ${CODE}`,
  `pin: "${CODE}`,
  `pin: "${CODE}\\q"`,
  `pin: "${CODE}x"`,
])('by GraphQL: a document with %s', async fields => {
  const query = `mutation { verifyOtp(input: { pinId: "${PIN}", ${fields} }) { status } }`;
  const { text, errors } = await t.graphql(query, { token: customer.tokens.unified });
  expect(errors).not.toBeNull();
  expect(text).not.toContain(CODE);
});

test.each([
  [
    'in a document',
    `mutation { sendOtp(input: { to: "+12025550100", template: [${JSON.stringify(TEMPLATE)}] }) { status } }`,
    {},
  ],
  [
    'in a variable',
    'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { status } }',
    { to: '+12025550100', template: [TEMPLATE] },
  ],
  [
    'without a place for the code',
    'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { status } }',
    { to: '+12025550100', template: TEMPLATE },
  ],
  [
    'of a message',
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }',
    { to: '+12025550100', text: [TEMPLATE] },
  ],
])('by GraphQL: a text %s', async (_what, query, input) => {
  const { text, errors } = await t.graphql(query, { token: customer.tokens.unified, variables: { input } });
  expect(errors).not.toBeNull();
  expect(text).not.toContain(TEMPLATE);
});

test.each([[TEMPLATE], TEMPLATE])('by REST: a template %j', async template => {
  const body = { to: '+12025550100', template };
  const { status, text } = await t.rest('POST', '/api/omni/otp/send', { token: customer.tokens.unified, body });
  expect(status).toBe(400);
  expect(text).not.toContain(TEMPLATE);
});

test('a code in the id of a request is in its answer, and not in the log', async () => {
  const call = { token: customer.tokens.otp, body: {}, headers: { 'x-request-id': `pin-${CODE}` } };
  const { headers } = await t.rest('POST', '/api/sms/otp/verify', call);
  expect(headers.get('x-request-id')).toBe(`pin-${CODE}`);
  expect(told.find({ codes: new Set(), lines: new Set(['"requestId":"pin-…"']) })).toHaveLength(1);
  expect(told.find({ codes: new Set([CODE]), lines: new Set() })).toEqual([]);
});

test('a code in a path is not in the log', async () => {
  const { status } = await t.rest('POST', `/api/sms/otp/verify/${CODE}`, { token: customer.tokens.otp, body: {} });
  expect(status).toBe(404);
  expect(told.find({ codes: new Set(), lines: new Set(['/api/sms/otp/verify/…']) })).toHaveLength(1);
  expect(told.find({ codes: new Set([CODE]), lines: new Set() })).toEqual([]);
});
