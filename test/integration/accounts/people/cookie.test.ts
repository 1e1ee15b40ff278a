import { beforeAll, describe, expect, test } from 'vitest';
import { createTestApp } from '../../../support/app.ts';
import { oncePerFile, setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { addPerson, openPage, type Person, trySignIn } from '../../../support/people/people.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
const secure = oncePerFile(
  () => createTestApp({ env: { PUBLIC_URL: 'https://gateway.test' } }),
  app => app.close(),
);
let person: Person;
let cookie: string;

beforeAll(async () => {
  person = await addPerson(on, customer.accountId);
  cookie = (await openPage(on, person)).cookie ?? '';
});

/** Whether the headers of a request let it in as the person. */
async function isSignedIn(headers: Record<string, string>): Promise<boolean> {
  const { data } = await on.graphql('{ viewer { kind } }', { headers });
  return data?.viewer != null;
}

describe('the cookie', () => {
  test('is hidden from scripts, for this site alone, and ends after 30 days', async () => {
    const { headers } = await trySignIn(on, person);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^heliograph_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^heliograph_device=[\w.-]{143,}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('is for this host and HTTPS alone where people come by HTTPS', async () => {
    const customer = await secure.customer();
    const { headers } = await trySignIn(secure, await addPerson(secure, customer.accountId));
    const set = headers.getSetCookie();
    expect(set).toEqual([
      expect.stringMatching(
        /^__Host-heliograph_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
      ),
      expect.stringMatching(
        /^__Host-heliograph_device=[\w.-]{143,}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    const [held = ''] = set[0]?.split(';') ?? [];
    const ask = async (given: string) =>
      (await secure.graphql('{ viewer { kind } }', { headers: { cookie: given, 'sec-fetch-site': 'same-origin' } }))
        .data;
    expect(await ask(held)).toEqual({ viewer: { kind: 'USER' } });
    // A plain page of another subdomain could have set this one.
    expect(await ask(held.replace('__Host-', ''))).toEqual({ viewer: null });
  });

  test('counts among others, and not where it stands twice', async () => {
    const page = { 'sec-fetch-site': 'same-origin' };
    expect(await isSignedIn({ ...page, cookie: `a=1; ${cookie}; b=2` })).toBe(true);
    expect(await isSignedIn({ ...page, cookie: `${cookie}; ${cookie}` })).toBe(false);
  });
});

describe('a request with the cookie', () => {
  const host = 'gateway.test';

  test.each([
    ['of a page of the gateway', { 'sec-fetch-site': 'same-origin', origin: 'http://gateway.test', host }, true],
    ['of a page of the gateway, by an older browser', { origin: 'http://gateway.test', host }, true],
    ['that says nothing of where it comes from', { host }, false],
    [
      'of another port of this machine',
      { 'sec-fetch-site': 'same-site', origin: 'http://gateway.test:8080', host },
      false,
    ],
    ['of another port, by an older browser', { origin: 'http://gateway.test:8080', host }, false],
    ['of a subdomain', { 'sec-fetch-site': 'same-site', origin: 'http://evil.gateway.test', host }, false],
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: 'http://evil.test', host }, false],
    [
      'of another site that names our origin',
      { 'sec-fetch-site': 'cross-site', origin: 'http://gateway.test', host },
      false,
    ],
    ['of a page without an origin', { origin: 'null', host }, false],
    ['typed by a person', { 'sec-fetch-site': 'none', host }, false],
  ])('%s', async (_name, headers, isIn) => {
    expect(await isSignedIn({ ...headers, cookie })).toBe(isIn);
  });

  test('by GET is refused', async () => {
    const { status } = await on.rest('GET', '/graphql?query={viewer{kind}}', {
      headers: { cookie, 'sec-fetch-site': 'same-origin', accept: 'application/json' },
    });
    expect(status).toBe(405);
  });

  test('and a token is that of the token, also where the token is wrong', async () => {
    const page = { cookie, 'sec-fetch-site': 'same-origin' };
    const ask = async (token: string) => (await on.graphql('{ viewer { kind area } }', { token, headers: page })).data;
    expect(await ask(customer.tokens.sms)).toEqual({ viewer: { kind: 'TOKEN', area: 'SMS' } });
    expect(await ask('hg_sms_wrong')).toEqual({ viewer: null });
  });
});

describe('behind a proxy that rewrites Host', () => {
  const host = 'gateway.internal:4000';
  const own = { origin: 'https://gateway.test', host };

  /** Signs in by such a page, and asks with the cookie of the answer who it is. */
  async function visit(headers: Record<string, string>): Promise<unknown> {
    const { email, password } = await addPerson(secure, (await secure.customer()).accountId);
    const answer = await secure.graphql('mutation ($input: SignInInput!) { signIn(input: $input) { kind } }', {
      variables: { input: { email, password } },
      headers,
    });
    if (answer.errors) return answer.errors;
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    return (await secure.graphql('{ viewer { kind } }', { headers: { ...headers, cookie } })).data;
  }

  test.each([
    ['says that it is of the same origin', { 'sec-fetch-site': 'same-origin', ...own }],
    ['has the origin of PUBLIC_URL, in an older browser', own],
  ])('a page that %s signs in and is signed in', async (_name, headers) => {
    expect(await visit(headers)).toEqual({ viewer: { kind: 'USER' } });
  });

  test('a page of another site is told what to set if it is the own one', async () => {
    expect(await visit({ origin: 'https://other.test', host })).toMatchObject([
      {
        message:
          'A page of another origin cannot sign in here. If it is a page of this gateway, set PUBLIC_URL to the address that the browser shows.',
        extensions: { code: 'WRONG_AREA' },
      },
    ]);
  });

  test('a page of another site that names the origin of PUBLIC_URL is refused', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', ...own };
    expect(await visit(headers)).toMatchObject([{ extensions: { code: 'WRONG_AREA' } }]);
  });
});

test.each([
  ['signIn', 'signIn(input: { email: "a@b.example", password: "x" }) { kind }'],
  ['signInAsOperator', 'signInAsOperator(input: { token: "x" }) { kind }'],
  ['acceptInvitation', 'acceptInvitation(input: { token: "x", password: "a long password" }) { kind }'],
])('%s is refused to a page of another origin', async (_name, field) => {
  const { errors } = await on.graphql(`mutation { ${field} }`, {
    headers: { origin: 'http://evil.test', host: 'gateway.test', 'sec-fetch-site': 'cross-site' },
  });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['WRONG_AREA']);
});
