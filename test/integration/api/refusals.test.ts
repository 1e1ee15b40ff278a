import { describe, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../support/fixtures.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

const LATE = '2026-11-22T00:00:00Z';
const EARLY = '2026-11-21T00:00:00Z';

async function refusal(query: string, token?: string) {
  const { errors } = await on.graphql(query, token === undefined ? {} : { token });
  const [error] = errors ?? [];
  return { code: error?.extensions.code, message: error?.message, errors: error?.extensions.errors };
}

const rest = async (path: string, body: unknown, token: string) =>
  (await on.rest('POST', path, { token, body })).body as { message?: string; errors?: unknown };

describe('a refusal names what is wrong and what to do', () => {
  test('of a field without a token, and with one that is not valid', async () => {
    expect(await refusal('{ tokens { id } }')).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'A token is required: Authorization: Bearer <token>.',
    });
    expect(await refusal('{ tokens { id } }', 'no-such-token')).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'The token is not valid: it is unknown, or was revoked.',
    });
  });

  test('of a field of another area', async () => {
    expect(await refusal('{ tokens { id } }', customer.tokens.sms)).toMatchObject({
      code: 'WRONG_AREA',
      message: 'This field takes a token of the area management; this token is of the area sms.',
    });
    expect(await refusal('{ accounts { id } }', customer.tokens.management)).toMatchObject({
      message: "This field is the operator's; this token is of the area management.",
    });
  });

  test('of a sender that is not approved', async () => {
    const body = { to: '+12025550100', text: 'Hello', sender: 'OTHER' };
    expect((await rest('/api/sms/send', body, customer.tokens.sms)).message).toMatch(
      /like `sender`\. Use one that it has/,
    );
  });

  test.each([
    ['a number with a thousand digits', { to: '1'.repeat(1_000) }, 'to'],
    ['a length that no number of digits is', { to: '+12025550100', length: 1e308 }, 'length'],
  ])('once of %s', async (_what, body, field) => {
    const { errors } = await rest('/api/sms/otp/send', body, customer.tokens.otp);
    expect(errors).toEqual([{ field, message: expect.stringMatching(/^must be /) }]);
  });

  test.each([
    ['logs', `{ logs(filter: { from: "${LATE}", to: "${EARLY}" }) { nodes { id } } }`, 'filter.from'],
    ['messages', `{ messages(filter: { from: "${LATE}", to: "${EARLY}" }) { nodes { id } } }`, 'filter.from'],
    ['logHistogram', `{ logHistogram(from: "${LATE}", to: "${EARLY}") { bucketSeconds } }`, 'from'],
  ])('of a time that ends before it begins: %s', async (_field, query, field) => {
    expect((await refusal(query, customer.tokens.unified)).errors).toEqual([
      { field, message: 'must not be after to' },
    ]);
  });

  test('of an account whose name has several lines', async () => {
    const query = 'mutation { createAccount(input: { name: "two\\nlines" }) { id } }';
    expect((await refusal(query, OPERATOR_TOKEN)).errors).toEqual([
      { field: 'name', message: 'must have no control characters, such as line breaks' },
    ]);
  });

  test('of a body in another encoding', async () => {
    const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
    const { body } = await on.rest('POST', '/api/sms/send', { token: customer.tokens.sms, body: '{}', headers });
    expect(body).toMatchObject({ code: 'unsupported_media_type', message: expect.stringContaining('UTF-8') });
  });
});
