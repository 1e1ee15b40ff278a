import { describe, expect, test } from 'vitest';
import { routes } from '../../../../src/rest/routes.ts';
import type { RestAnswer } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';

// The operator named two origins. A page of another origin may send and read, and never get passcodes.

const ORIGIN = 'https://shop.example';
const STRANGER = 'https://shop.example.evil.test';

const on = setUpApp({ env: { CORS_ORIGINS: `http://localhost:5173,${ORIGIN}` } });
const customer = setUpCustomer(on);

function preflight(path: string, method: string, origin = ORIGIN): Promise<RestAnswer> {
  const asks = { 'access-control-request-method': method, 'access-control-request-headers': 'authorization' };
  return on.rest('OPTIONS', path, { headers: { origin, ...asks } });
}

const allowed = ({ headers }: Pick<RestAnswer, 'headers'>): string | null => headers.get('access-control-allow-origin');
const corsHeaders = ({ headers }: RestAnswer): string[] =>
  [...headers.keys()].filter(name => name.startsWith('access-control-'));

const isOpen = (path: string): boolean => path === '/plants' || /^\/api\/omni\/(?!otp)/.test(path);
const rows = routes.map(({ method, path }) => ({ method, path }));
const open = [...rows.filter(({ path }) => isOpen(path)), { method: 'POST', path: '/graphql' }];
const closed = [...rows.filter(({ path }) => !isOpen(path)), { method: 'GET', path: '/openapi.json' }];

test('there are paths of both kinds, and those of passcodes are closed', () => {
  expect(open.length).toBeGreaterThan(3);
  expect(closed.filter(({ path }) => path.includes('/otp/')).length).toBeGreaterThan(3);
});

describe.each(open)('$method $path', ({ method, path }) => {
  test('a preflight of a page that was named is answered', async () => {
    const answer = await preflight(path, method);
    expect([answer.status, allowed(answer)]).toEqual([204, ORIGIN]);
    expect(answer.headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  test.each([STRANGER, 'null', 'https://SHOP.example', 'https://shop.example:444', 'http://shop.example'])(
    'a preflight of a page of %s is refused',
    async origin => {
      const answer = await preflight(path, method, origin);
      expect([answer.status, corsHeaders(answer)]).toEqual([405, []]);
    },
  );

  test('the answer may be read by a page that was named, even where it fails', async () => {
    const answer = await on.rest(method, path, { headers: { origin: ORIGIN } });
    expect([answer.status >= 400, allowed(answer)]).toEqual([true, ORIGIN]);
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  test('the answer to another page may not be kept for it', async () => {
    const answer = await on.rest(method, path, { headers: { origin: STRANGER } });
    expect([corsHeaders(answer), answer.headers.get('vary')?.includes('Origin')]).toEqual([[], true]);
  });
});

describe.each(closed)('$method $path', ({ method, path }) => {
  test('a preflight is refused', async () => {
    const answer = await preflight(path, method);
    expect([answer.status, corsHeaders(answer)]).toEqual([405, []]);
  });

  test('the answer tells a browser nothing', async () => {
    expect(corsHeaders(await on.rest(method, path, { headers: { origin: ORIGIN } }))).toEqual([]);
  });
});

describe('a page of another origin', () => {
  const call = (origin: string) => ({ token: customer.tokens.unified, headers: { origin, host: 'gateway.test' } });

  test('may ask in GraphQL', async () => {
    const answer = await on.graphql('{ account { id } }', call(ORIGIN));
    expect([answer.status, answer.errors, allowed(answer)]).toEqual([200, null, ORIGIN]);
  });

  test.each([
    ['sendOtp', 'mutation { sendOtp(input: { to: "+12025550100" }) { pinId } }'],
    ['resendOtp', 'mutation { a: resendOtp(input: { pinId: "pin_0" }) { pinId } }'],
    [
      'verifyOtp',
      'mutation { ...F } fragment F on Mutation { verifyOtp(input: { pinId: "pin_0", pin: "0" }) { pinId } }',
    ],
    ['otp', '{ otp(pinId: "pin_0") { pinId } }'],
    ['sandboxMessages, where passcodes stand', '{ sandboxMessages(to: "+12025550100") { text } }'],
  ])('may not do %s', async (_field, query) => {
    const answer = await on.graphql(query, call(ORIGIN));
    expect([answer.status, answer.data, answer.errors?.map(({ extensions }) => extensions.code)]).toEqual([
      403,
      null,
      ['WRONG_AREA'],
    ]);
  });

  test('that is the gateway’s own, the playground, may', async () => {
    const answer = await on.graphql('{ otp(pinId: "pin_0") { pinId } }', call('https://gateway.test'));
    expect([answer.status, answer.errors]).toEqual([200, null]);
  });
});
