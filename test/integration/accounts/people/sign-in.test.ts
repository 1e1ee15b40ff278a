import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { countsOfStrangers, guardSignIn } from '../../../../src/modules/accounts/sign-in/guard-sign-in.ts';
import { OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { addPerson, OWN_PAGE, type Person, signedInBy, signIn, trySignIn } from '../../../support/people/people.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
let person: Person;

beforeEach(async () => {
  await on.sql('delete from sign_in_guards');
  person = await addPerson(on, customer.accountId);
});

const WHO = '{ viewer { kind role area user { email } account { accountId } } }';

/** The page's answer to the question who is signed in. */
async function whoIs(headers: Record<string, string>): Promise<unknown> {
  const { data, errors } = await on.graphql<{ viewer: unknown }>(WHO, { headers });
  expect(errors).toBeNull();
  return data?.viewer;
}

function asOwner() {
  return {
    kind: 'USER',
    role: 'OWNER',
    area: null,
    user: { email: person.email },
    account: { accountId: customer.accountId },
  };
}

const code = ({ errors }: { errors: readonly { extensions: { code: string } }[] | null }) =>
  errors?.map(error => error.extensions.code).join() ?? 'ok';

describe('signing in', () => {
  test('by password answers who it is, and the cookie opens the schema as that person', async () => {
    const answer = await trySignIn(on, person);
    expect(answer.data?.signIn).toMatchObject({ kind: 'USER', role: 'OWNER', user: { email: person.email } });
    expect(await whoIs(signedInBy(answer))).toEqual(asOwner());
    const { data } = await on.graphql('{ account { accountId } }', { headers: signedInBy(answer) });
    expect(data).toEqual({ account: { accountId: customer.accountId } });
  });

  test('takes the address in any case and with spaces around it', async () => {
    const answer = await trySignIn(on, { ...person, email: `  ${person.email.toUpperCase()} ` });
    expect(await whoIs(signedInBy(answer))).toEqual(asOwner());
  });

  test('keeps neither the token nor a part of it in the database', async () => {
    const { cookie = '' } = await signIn(on, person);
    const token = cookie.split('=')[1] ?? '';
    expect(token).toMatch(/^[\w-]{43}$/);
    const rows = await on.sql<{ row: string }>('select to_jsonb(s)::text as row from dashboard_sessions s');
    expect(rows.filter(({ row }) => row.includes(token.slice(0, 12)))).toEqual([]);
  });

  test('with a wrong password and with an unknown address hears the same', async () => {
    const wrong = await trySignIn(on, { ...person, password: 'not the password' });
    const unknown = await trySignIn(on, { ...person, email: 'nobody@people.example' });
    expect(code(wrong)).toBe('UNAUTHENTICATED');
    expect(unknown.errors).toEqual(wrong.errors);
    expect([wrong, unknown].map(({ headers }) => headers.get('set-cookie'))).toEqual([null, null]);
  });

  test('the operator by the token, and acts for the account that the page names', async () => {
    const answer = await on.graphql(
      'mutation ($input: SignInAsOperatorInput!) { signInAsOperator(input: $input) { kind account { accountId } } }',
      { variables: { input: { token: OPERATOR_TOKEN } }, headers: OWN_PAGE },
    );
    expect(answer.data).toEqual({ signInAsOperator: { kind: 'OPERATOR', account: null } });
    const headers = signedInBy(answer);
    const accounts = await on.graphql('{ accounts { accountId } }', { headers });
    expect(accounts.data).toMatchObject({ accounts: [{ accountId: customer.accountId }] });
    expect(await whoIs({ ...headers, 'x-account-id': customer.accountId })).toMatchObject({
      kind: 'OPERATOR',
      account: { accountId: customer.accountId },
    });
  });

  test('the operator by a wrong token is refused', async () => {
    const answer = await on.graphql('mutation { signInAsOperator(input: { token: "op_wrong" }) { kind } }', {
      headers: OWN_PAGE,
    });
    expect(code(answer)).toBe('UNAUTHENTICATED');
  });

  test('anew ends the session that the page had', async () => {
    const first = await signIn(on, person);
    const second = signedInBy(await trySignIn(on, person, first));
    on.app.authenticator.forget();
    expect(await whoIs(first)).toBeNull();
    expect(await whoIs(second)).toEqual(asOwner());
  });
});

describe('signing out', () => {
  test('ends the session everywhere and takes the cookie away', async () => {
    const headers = await signIn(on, person);
    const answer = await on.graphql('mutation { signOut }', { headers });
    expect(answer.data).toEqual({ signOut: true });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^heliograph_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/,
    );
    on.app.authenticator.forget();
    expect(await whoIs(headers)).toBeNull();
  });

  test('everywhere ends every session of the person, and none of others', async () => {
    const [here, there] = [await signIn(on, person), await signIn(on, person)];
    const other = await signIn(on, await addPerson(on, customer.accountId, 'viewer'));
    const { data } = await on.graphql('mutation { signOutEverywhere }', { headers: here });
    expect(data).toEqual({ signOutEverywhere: 2 });
    on.app.authenticator.forget();
    expect([await whoIs(here), await whoIs(there)]).toEqual([null, null]);
    expect(await whoIs(other)).toMatchObject({ role: 'VIEWER' });
  });

  test('with no session says so, and takes the cookie away', async () => {
    const { data, headers } = await on.graphql('mutation { signOut }', { headers: OWN_PAGE });
    expect(data).toEqual({ signOut: false });
    expect(headers.get('set-cookie')).toContain('Max-Age=0');
  });
});

describe('the end of a session', () => {
  test.each([
    ['after 30 days', `expires_at = now() - interval '1 second'`],
    ['after 24 hours without use', `last_seen_at = now() - interval '24 hours 1 second'`],
  ])('%s', async (_when, change) => {
    const headers = await signIn(on, person);
    await on.sql(`update dashboard_sessions set ${change} where user_id = $1`, [toUuid(person.userId)]);
    on.app.authenticator.forget();
    expect(await whoIs(headers)).toBeNull();
  });

  test("comes for the operator's with another token", async () => {
    const answer = await on.graphql(
      'mutation ($input: SignInAsOperatorInput!) { signInAsOperator(input: $input) { kind } }',
      { variables: { input: { token: OPERATOR_TOKEN } }, headers: OWN_PAGE },
    );
    await on.sql('update dashboard_sessions set operator_hash = $1 where user_id is null', ['0'.repeat(64)]);
    on.app.authenticator.forget();
    expect(await whoIs(signedInBy(answer))).toBeNull();
  });
});

describe('locking out', () => {
  const wrong = () => trySignIn(on, { ...person, password: 'not the password' });

  test('after five failures the right password is refused too, with the time to wait', async () => {
    for (let tries = 0; tries < 5; tries++) expect(code(await wrong())).toBe('UNAUTHENTICATED');
    const { errors, headers } = await trySignIn(on, person);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED' });
    expect(errors?.[0]?.extensions.retryAfter).toBeGreaterThan(800);
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('ends after a quarter of an hour', async () => {
    for (let tries = 0; tries < 5; tries++) await wrong();
    await on.sql(`update sign_in_guards set over_at = now() - interval '1 second'`);
    expect(code(await trySignIn(on, person))).toBe('ok');
  });

  test('begins anew after a right password', async () => {
    for (let tries = 0; tries < 4; tries++) await wrong();
    expect(code(await trySignIn(on, person))).toBe('ok');
    expect(code(await wrong())).toBe('UNAUTHENTICATED');
    expect(code(await trySignIn(on, person))).toBe('ok');
  });

  test('after twenty failures from one network address every address is refused from it', async () => {
    for (let tries = 0; tries < 20; tries++)
      expect(code(await trySignIn(on, { ...person, email: `n${tries}@people.example` }))).toBe('UNAUTHENTICATED');
    expect(code(await trySignIn(on, person))).toBe('RATE_LIMITED');
    const operator = await on.graphql('mutation { signInAsOperator(input: { token: "op_wrong" }) { kind } }', {
      headers: OWN_PAGE,
    });
    expect(code(operator)).toBe('RATE_LIMITED');
  });

  const counted = () => on.sql<{ failures: number }>('select key, failures, over_at from sign_in_guards order by key');

  test('of one person takes no places of the network address, and waits no longer, for what is refused unseen', async () => {
    for (let tries = 0; tries < 5; tries++) await wrong();
    const before = await counted();
    expect(before.map(({ failures }) => failures)).toEqual([5, 5, 5]);
    for (let tries = 0; tries < 20; tries++) expect(code(await wrong())).toBe('RATE_LIMITED');
    expect(await counted()).toEqual(before);
    expect(code(await trySignIn(on, await addPerson(on, customer.accountId)))).toBe('ok');
  });

  test('of a network address takes no places of the people who are refused unseen', async () => {
    for (let tries = 0; tries < 20; tries++) await trySignIn(on, { ...person, email: `n${tries}@people.example` });
    const before = await counted();
    for (let tries = 0; tries < 5; tries++) expect(code(await wrong())).toBe('RATE_LIMITED');
    expect(await counted()).toEqual(before);
  });

  describe('by a network address', () => {
    /** As if strangers had failed there, of which a minute is left. */
    async function failBefore(): Promise<unknown> {
      for (let tries = 0; tries < 3; tries++) await trySignIn(on, { ...person, email: `n${tries}@people.example` });
      await on.sql(`update sign_in_guards set over_at = now() + interval '1 minute'`);
      return ofAddress();
    }
    const ofAddress = () => on.sql(`select failures, over_at from sign_in_guards where key like 'address/%'`);

    test('counts nothing, and lasts no longer, for a right password', async () => {
      const before = await failBefore();
      expect(code(await trySignIn(on, person))).toBe('ok');
      expect(await ofAddress()).toEqual(before);
    });

    test('counts nothing, and lasts no longer, for a password that could not be looked at', async () => {
      const before = await failBefore();
      const ctx = on.app.makeCtx({ kind: 'anonymous' }, 'req_1');
      const check = () => Promise.reject(new Error('no answer'));
      await expect(guardSignIn(ctx, countsOfStrangers(ctx, person.email), null, check)).rejects.toThrow('no answer');
      expect(await ofAddress()).toEqual(before);
    });

    test('lasts a quarter of an hour more after each wrong one', async () => {
      await failBefore();
      expect(code(await wrong())).toBe('UNAUTHENTICATED');
      expect(await on.sql(`select from sign_in_guards where over_at > now() + interval '14 minutes'`)).toHaveLength(3);
    });
  });

  const told = () => on.sql('select actor, action from audit_entries where subject = $1 order by id', [person.userId]);

  test('is told in the audit trail of the account, once, after the first failure of the row', async () => {
    for (let tries = 0; tries < 7; tries++) await wrong();
    expect(await told()).toEqual([
      { actor: 'stranger', action: 'session.refused' },
      { actor: 'stranger', action: 'user.locked_out' },
    ]);
  });

  test('each row of failures has its first one in the trail', async () => {
    await wrong();
    await trySignIn(on, person);
    await wrong();
    await wrong();
    const refused = { actor: 'stranger', action: 'session.refused' };
    expect(await told()).toEqual([refused, refused]);
  });

  test('an address that nobody has is in no trail', async () => {
    const count = () => on.sql('select count(*)::int as entries from audit_entries');
    const before = await count();
    for (let tries = 0; tries < 6; tries++) await trySignIn(on, { ...person, email: 'nobody@people.example' });
    expect(await count()).toEqual(before);
  });
});
