import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import { createOidc } from '../../../../src/outbound/oidc.ts';
import { createTestApp, OPERATOR_TOKEN, type TestApp } from '../../../support/app.ts';
import { CLIENT, type OidcPeer, startOidcPeer } from '../../../support/people/oidc-peer.ts';
import { addPerson, OWN_PAGE } from '../../../support/people/people.ts';
import { startReceiver } from '../../../support/webhooks/receiver.ts';

const accountId = newId('acc');
let peer: OidcPeer;
let on: TestApp;
let sub: string;
let email: string;

beforeAll(async () => {
  peer = await startOidcPeer();
  on = await createTestApp({
    mayTell: /127\.0\.0\.1:\d+/g,
    env: {
      PUBLIC_URL: 'http://gateway.test',
      OIDC_ISSUER: peer.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Keyhouse',
      OIDC_ROLES: 'admins=owner, helpdesk=support',
      OIDC_ACCOUNT: accountId,
    },
  });
  await on.sql(`insert into accounts (id, name, created_at) values ($1, 'Single', now())`, [toUuid(accountId)]);
});
afterAll(async () => {
  await on.close();
  await peer.close();
});

beforeEach(async () => {
  await on.sql('delete from sign_in_guards');
  await on.sql('update accounts set second_factor_required = false');
  sub = crypto.randomUUID();
  email = `${sub}@people.example`;
  peer.claims = { sub, email, name: 'Ada Lovelace', roles: ['staff', 'helpdesk'] };
  peer.refuses = false;
  peer.fault = null;
});

const code = ({ errors }: { errors: readonly { extensions: { code: string } }[] | null }) =>
  errors?.map(error => error.extensions.code).join() ?? 'ok';

const cookieOf = (headers: Headers, name: string): string =>
  headers
    .getSetCookie()
    .find(text => text.startsWith(`${name}=`))
    ?.split(';')[0] ?? '';

/** Goes to the provider and back, and answers with what the browser is at the page of the way back. */
async function comeBack(): Promise<{ address: string; headers: Record<string, string> }> {
  const started = await on.graphql<{ startOidc: string }>('mutation { startOidc }', { headers: OWN_PAGE });
  const back = await peer.visit(started.data?.startOidc ?? '');
  expect(`${back.origin}${back.pathname}`).toBe('http://gateway.test/dashboard/oidc');
  return {
    address: back.search,
    headers: { ...OWN_PAGE, cookie: cookieOf(started.headers, 'heliograph_oidc') },
  };
}

function enter({ address, headers }: Awaited<ReturnType<typeof comeBack>>) {
  return on.graphql<{ signInByOidc: { role: string; user: { userId: string } } }>(
    'mutation ($address: String!) { signInByOidc(input: { address: $address }) { kind role user { userId email name hasPassword } account { accountId } secondFactor { since } } }',
    { variables: { address }, headers },
  );
}

const signIn = async () => enter(await comeBack());

/** The headers of the page in which somebody signed in. */
function pageOf({ headers }: { readonly headers: Headers }): Record<string, string> {
  return { ...OWN_PAGE, cookie: cookieOf(headers, 'heliograph_session') };
}

test('the page of the sign-in is told what the provider is called', async () => {
  const { data } = await on.graphql('{ signInOptions { oidcName } }');
  expect(data).toEqual({ signInOptions: { oidcName: 'Keyhouse' } });
});

describe('who comes from the provider', () => {
  test('is made a person of the account, with the role of the claim, and signed in', async () => {
    const answer = await signIn();
    expect(answer.data?.signInByOidc).toEqual({
      kind: 'USER',
      role: 'SUPPORT',
      user: { userId: expect.any(String), email, name: 'Ada Lovelace', hasPassword: false },
      account: { accountId },
      secondFactor: null,
    });
    const { data } = await on.graphql('{ viewer { user { email } } }', { headers: pageOf(answer) });
    expect(data).toEqual({ viewer: { user: { email } } });
    // Ids of one millisecond have no order.
    const trail = await on.sql('select action, details from audit_entries where user_email = $1 order by action desc', [
      email,
    ]);
    expect(trail).toEqual([
      { action: 'user.added', details: { email, role: 'support', by: 'oidc' } },
      { action: 'session.started', details: {} },
    ]);
  });

  test('is the same person the next time, with the role that the claim gives then', async () => {
    const first = await signIn();
    peer.claims = { ...peer.claims, roles: ['helpdesk', 'admins'] };
    const second = await signIn();
    expect(second.data?.signInByOidc).toMatchObject({
      role: 'OWNER',
      user: { userId: first.data?.signInByOidc.user.userId },
    });
    const trail = await on.sql(`select details from audit_entries where user_email = $1 and action = 'user.updated'`, [
      email,
    ]);
    expect(trail).toEqual([{ details: { role: { from: 'support', to: 'owner' } } }]);
  });

  test('with no role here is refused with a sentence, and is nobody', async () => {
    peer.claims = { ...peer.claims, roles: ['staff'] };
    const { errors } = await signIn();
    expect(errors?.[0]).toMatchObject({
      message: 'The provider (Keyhouse) gives you no role here. Ask who manages it.',
      extensions: { code: 'WRONG_AREA' },
    });
    expect(await on.sql('select from dashboard_users where email = $1', [email])).toEqual([]);
  });

  test('with a role no more is signed out everywhere', async () => {
    const page = pageOf(await signIn());
    peer.claims = { ...peer.claims, roles: [] };
    expect(code(await signIn())).toBe('WRONG_AREA');
    on.app.authenticator.forget();
    expect((await on.graphql('{ viewer { kind } }', { headers: page })).data).toEqual({ viewer: null });
  });

  test.each([
    ['another role', ['helpdesk'], 'user'],
    ['no role', [], 'stranger'],
  ])('as an owner takes the open invitations along with %s', async (_what, roles, actor) => {
    peer.claims = { ...peer.claims, roles: ['admins'] };
    const page = pageOf(await signIn());
    const invited = await on.graphql<{ inviteUser: { invitation: { invitationId: string } } }>(
      'mutation ($email: String!) { inviteUser(input: { email: $email, role: OWNER }) { invitation { invitationId } } }',
      { variables: { email: `invited-${email}` }, headers: page },
    );
    const subject = invited.data?.inviteUser.invitation.invitationId;
    peer.claims = { ...peer.claims, roles };
    await signIn();
    expect(await on.sql('select from dashboard_invitations where invited_by = $1', [email])).toEqual([]);
    const trail = `select actor, subject from audit_entries where action = 'invitation.revoked' and subject = $1`;
    expect(await on.sql(trail, [subject])).toEqual([{ actor, subject }]);
  });

  test('with the address of who has a password is refused: an address proves nobody', async () => {
    const person = await addPerson(on, accountId);
    peer.claims = { ...peer.claims, email: person.email.toUpperCase() };
    const { errors } = await signIn();
    expect(errors?.[0]?.message).toBe(
      `${person.email} signs in another way here. An owner can remove that person first.`,
    );
  });

  test('without an address is refused', async () => {
    peer.claims = { sub, roles: ['admins'] };
    expect(code(await signIn())).toBe('WRONG_AREA');
  });

  test('that the provider refuses is told so', async () => {
    peer.refuses = true;
    const { errors } = await signIn();
    expect(errors?.[0]).toMatchObject({
      message: 'The sign-in was refused by the provider (Keyhouse).',
      extensions: { code: 'UNAUTHENTICATED' },
    });
  });

  test('needs no second factor here: that is the business of the provider', async () => {
    await on.sql('update accounts set second_factor_required = true');
    const page = pageOf(await signIn());
    expect(code(await on.graphql('{ account { id } }', { headers: page }))).toBe('ok');
  });

  test('has no password, neither to sign in by nor to change', async () => {
    const page = pageOf(await signIn());
    const byPassword = await on.graphql('mutation ($input: SignInInput!) { signIn(input: $input) { kind } }', {
      variables: { input: { email, password: '' } },
      headers: OWN_PAGE,
    });
    expect(code(byPassword)).toBe('UNAUTHENTICATED');
    for (const call of [
      'changePassword(input: { current: "", new: "a sentence of mine" }) { id }',
      'startSecondFactor(input: { password: "" }) { secret }',
    ])
      expect(code(await on.graphql(`mutation { ${call} }`, { headers: page }))).toBe('WRONG_AREA');
  });

  test('gets no role but that of the provider', async () => {
    const { data } = await signIn();
    const { errors } = await on.graphql(
      `mutation { updateUser(input: { userId: "${data?.signInByOidc.user.userId}", role: OWNER }) { id } }`,
      { token: OPERATOR_TOKEN },
    );
    expect(errors?.[0]?.extensions.errors).toMatchObject([{ field: 'role' }]);
  });
});

describe('the way back', () => {
  test('of another browser is refused', async () => {
    const [mine, theirs] = [await comeBack(), await comeBack()];
    expect(code(await enter({ address: theirs.address, headers: mine.headers }))).toBe('UNAUTHENTICATED');
  });

  test('without the cookie is refused', async () => {
    const { address } = await comeBack();
    expect(code(await enter({ address, headers: OWN_PAGE }))).toBe('UNAUTHENTICATED');
  });

  test('leads in once', async () => {
    const back = await comeBack();
    expect(code(await enter(back))).toBe('ok');
    expect(code(await enter(back))).toBe('UNAUTHENTICATED');
  });

  test('with a code that was changed is refused', async () => {
    const { address, headers } = await comeBack();
    const changed = address.replace(/code=[^&]+/, 'code=another');
    expect(code(await enter({ address: changed, headers }))).toBe('UNAUTHENTICATED');
  });

  test('from a page of another origin is refused', async () => {
    const { address, headers } = await comeBack();
    const foreign = { ...headers, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect(code(await enter({ address, headers: foreign }))).toBe('WRONG_AREA');
  });

  test.each([
    ['hangs up', 0],
    ['is unwell', 503],
  ])('counts nowhere while the provider %s', async (_what, fault) => {
    const back = await comeBack();
    peer.fault = fault;
    for (let tries = 0; tries < 20; tries++) expect(code(await enter(back))).toBe('OVERLOADED');
    peer.fault = null;
    expect(code(await enter(back))).toBe('ok');
  });

  test('that is wrong twenty times from one network address is refused unseen', async () => {
    const { address, headers } = await comeBack();
    const changed = { address: address.replace(/state=[^&]+/, 'state=another'), headers };
    for (let tries = 0; tries < 20; tries++) expect(code(await enter(changed))).toBe('UNAUTHENTICATED');
    expect(code(await enter({ address, headers }))).toBe('RATE_LIMITED');
  });
});

test('the way there asks for a code, with PKCE, state and nonce', async () => {
  const { data } = await on.graphql<{ startOidc: string }>('mutation { startOidc }', { headers: OWN_PAGE });
  const url = new URL(data?.startOidc ?? '');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: CLIENT.id,
    redirect_uri: 'http://gateway.test/dashboard/oidc',
    response_type: 'code',
    scope: 'openid email profile',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
});

test.each([
  ['is not fetched without TLS', (other: string) => other, 'which is neither its own nor behind TLS'],
  ['is fetched by https', (other: string) => other.replace('http:', 'https:'), 'fetch failed'],
])('what a provider names at another host %s', async (_what, hostOf, refusal) => {
  const originOf = ({ url }: { readonly url: string }): string => new URL(url).origin;
  const other = await startReceiver((_request, response) => response.end('{}'));
  const self = await startReceiver((_request, response) => {
    const issuer = originOf(self);
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${hostOf(originOf(other))}/token`,
      }),
    );
  });
  const settings = on.app.services.oidc?.settings;
  if (!settings) throw new Error('no provider is set');
  const oidc = createOidc({ ...settings, issuer: new URL(originOf(self)) });
  const { checks } = await oidc.begin('http://gateway.test/dashboard/oidc');
  const back = new URL(`http://gateway.test/dashboard/oidc?code=x&state=${checks.state}`);
  await expect(oidc.finish(back, checks)).rejects.toThrow(refusal);
  expect(other.received).toEqual([]);
  await Promise.all([self.close(), other.close()]);
});
