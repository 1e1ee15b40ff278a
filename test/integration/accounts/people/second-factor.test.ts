import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createKeyRing } from '../../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { resealFactors, sealSecret } from '../../../../src/modules/accounts/second-factor/spend-code.ts';
import { OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import {
  addPerson,
  knownBy,
  openPage,
  type Person,
  signedInBy,
  signIn,
  trySignIn,
} from '../../../support/people/people.ts';
import { codeOf, confirm, forgetStep, giveCode, givePassword, turnOn } from '../../../support/people/second-factor.ts';

const on = setUpApp();
const customer = setUpCustomer(on);
let person: Person;
let page: Record<string, string>;

beforeEach(async () => {
  await on.sql('delete from sign_in_guards');
  await on.sql('update accounts set second_factor_required = false');
  person = await addPerson(on, customer.accountId);
  page = await openPage(on, person);
});

const code = ({ errors }: { errors: readonly { extensions: { code: string } }[] | null }) =>
  errors?.map(error => error.extensions.code).join() ?? 'ok';

const FACTOR = '{ viewer { secondFactor { since isRequired recoveryCodesLeft } } }';

async function factorOf(headers: Record<string, string>): Promise<unknown> {
  const { data } = await on.graphql<{ viewer: { secondFactor: unknown } | null }>(FACTOR, { headers });
  return data?.viewer?.secondFactor ?? null;
}

async function trailOf({ userId }: Person): Promise<unknown[]> {
  return on.sql(
    `select actor, action, details from audit_entries where subject = $1 and action like 'second_factor.%' order by id`,
    [userId],
  );
}

const start = (password: string, headers = page) =>
  on.graphql<{ startSecondFactor: { secret: string; uri: string } }>(
    'mutation ($password: String!) { startSecondFactor(input: { password: $password }) { secret uri } }',
    { variables: { password }, headers },
  );

const prove = (mutation: string, input: { password: string; code: string }, headers = page) =>
  on.graphql<Record<string, { codes: string[] }>>(`mutation ($input: ProvenInput!) { result: ${mutation} }`, {
    variables: { input },
    headers,
  });

const turnOff = (input: { password: string; code: string }, headers = page) =>
  prove('turnOffSecondFactor(input: $input) { userId secondFactorSince }', input, headers);

describe('turning it on', () => {
  test('asks for the password', async () => {
    expect(code(await start('not the password'))).toBe('UNAUTHENTICATED');
  });

  test('shows the secret, and is off until a code of it was given', async () => {
    const { data } = await start(person.password);
    expect(data?.startSecondFactor.uri).toContain(`secret=${data?.startSecondFactor.secret}`);
    expect(await factorOf(page)).toEqual({ since: null, isRequired: false, recoveryCodesLeft: 0 });
    expect((await trySignIn(on, person)).data?.signIn).toMatchObject({ kind: 'USER' });
  });

  test('by the code of the app gives ten recovery codes, and stands in the trail', async () => {
    const { codes } = await turnOn(on, person, page);
    expect(new Set(codes).size).toBe(10);
    expect(await factorOf(page)).toEqual({ since: expect.any(String), isRequired: false, recoveryCodesLeft: 10 });
    expect(await trailOf(person)).toEqual([{ actor: 'user', action: 'second_factor.turned_on', details: {} }]);
  });

  test('by a wrong code is refused at the code', async () => {
    await start(person.password);
    const { errors } = await confirm(on, page, '000000');
    expect(errors?.[0]?.extensions.errors).toMatchObject([{ field: 'code' }]);
  });

  test('ends the other sessions, which nobody gave a code for', async () => {
    const other = await openPage(on, person);
    await turnOn(on, person, page);
    on.app.authenticator.forget();
    expect([await factorOf(other), await factorOf(page)]).toEqual([null, expect.anything()]);
  });

  test('once more is refused: what is on would be replaced', async () => {
    await turnOn(on, person, page);
    expect(code(await start(person.password))).toBe('INVALID_INPUT');
  });

  test('keeps the secret sealed and the codes hashed', async () => {
    const { secret, codes } = await turnOn(on, person, page);
    const [row] = await on.sql<{ row: string }>(
      'select to_jsonb(u)::text as row from dashboard_users u where id = $1',
      [toUuid(person.userId)],
    );
    for (const text of [secret, ...codes, ...codes.map(one => one.replaceAll('-', ''))])
      expect(row?.row).not.toContain(text);
  });

  test('is for people alone', async () => {
    expect(code(await on.graphql('mutation { startSecondFactor(input: { password: "x" }) { secret } }'))).toBe(
      'UNAUTHENTICATED',
    );
    expect(
      code(
        await on.graphql('mutation { startSecondFactor(input: { password: "x" }) { secret } }', {
          token: OPERATOR_TOKEN,
        }),
      ),
    ).toBe('WRONG_AREA');
  });
});

describe('signing in', () => {
  test('by the password alone opens nothing', async () => {
    await turnOn(on, person, page);
    const answer = await trySignIn(on, person);
    expect(answer.data?.signIn).toEqual({
      kind: 'SECOND_STEP',
      role: null,
      user: null,
      account: null,
      session: null,
    });
    expect(answer.headers.getSetCookie().map(text => text.split('=')[0])).toEqual(['heliograph_step']);
    expect(await factorOf(await givePassword(on, person))).toBeNull();
  });

  test('by password and code opens the schema as that person', async () => {
    const { secret } = await turnOn(on, person, page);
    const answer = await giveCode(on, await givePassword(on, person), codeOf(secret));
    expect(answer.data?.signInWithCode).toMatchObject({ kind: 'USER', user: { email: person.email } });
    const session = answer.headers.getSetCookie().find(text => text.startsWith('heliograph_session='));
    expect(await factorOf(signedInBy({ headers: new Headers({ 'set-cookie': session ?? '' }) }))).not.toBeNull();
  });

  test('takes the code with the blanks that people type', async () => {
    const { secret } = await turnOn(on, person, page);
    const spaced = codeOf(secret).replace(/^(...)/, ' $1 ');
    expect(code(await giveCode(on, await givePassword(on, person), spaced))).toBe('ok');
  });

  test('by a code that was used is refused', async () => {
    const { secret } = await turnOn(on, person, page);
    const used = codeOf(secret);
    expect(code(await giveCode(on, await givePassword(on, person), used))).toBe('ok');
    expect(code(await giveCode(on, await givePassword(on, person), used))).toBe('UNAUTHENTICATED');
  });

  test('by the code that turned it on is refused', async () => {
    const { data } = await start(person.password);
    const used = codeOf(data?.startSecondFactor.secret ?? '');
    await confirm(on, page, used);
    expect(code(await giveCode(on, await givePassword(on, person), used))).toBe('UNAUTHENTICATED');
  });

  test('by a code of before one that was used is refused', async () => {
    const { secret } = await turnOn(on, person, page);
    await on.sql('update dashboard_users set second_factor_step = 2147483647 where id = $1', [toUuid(person.userId)]);
    expect(code(await giveCode(on, await givePassword(on, person), codeOf(secret)))).toBe('UNAUTHENTICATED');
  });

  test('by a code without the password is refused', async () => {
    const { secret } = await turnOn(on, person, page);
    const stranger = { ...page, cookie: '' };
    expect(code(await giveCode(on, stranger, codeOf(secret)))).toBe('UNAUTHENTICATED');
  });

  test('by the code of another person is refused', async () => {
    const other = await addPerson(on, customer.accountId);
    await turnOn(on, person, page);
    const { secret } = await turnOn(on, other, await openPage(on, other));
    expect(code(await giveCode(on, await givePassword(on, person), codeOf(secret)))).toBe('UNAUTHENTICATED');
  });

  test('by a password that was changed meanwhile is refused', async () => {
    const { secret } = await turnOn(on, person, page);
    const step = await givePassword(on, person);
    const input = { current: person.password, new: `another ${person.password}` };
    const changed = await on.graphql(
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { id } }',
      {
        variables: { input },
        headers: page,
      },
    );
    expect(code(changed)).toBe('ok');
    expect(code(await giveCode(on, step, codeOf(secret)))).toBe('UNAUTHENTICATED');
  });

  test('by a step that was changed is refused', async () => {
    const { secret } = await turnOn(on, person, page);
    const { cookie = '', ...headers } = await givePassword(on, person);
    const changed = cookie.replace(/.(?=.{8}$)/, last => (last === 'A' ? 'B' : 'A'));
    expect(code(await giveCode(on, { ...headers, cookie: changed }, codeOf(secret)))).toBe('UNAUTHENTICATED');
  });

  test('from a page of another origin is refused', async () => {
    const { secret } = await turnOn(on, person, page);
    const step = await givePassword(on, person);
    const foreign = { ...step, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect(code(await giveCode(on, foreign, codeOf(secret)))).toBe('WRONG_AREA');
  });
});

describe('a recovery code', () => {
  test('signs in once, in any writing, and stands in the trail', async () => {
    const { codes } = await turnOn(on, person, page);
    const [first = ''] = codes;
    const typed = ` ${first.toUpperCase().replaceAll('-', ' ')}`;
    expect(code(await giveCode(on, await givePassword(on, person), typed))).toBe('ok');
    expect(code(await giveCode(on, await givePassword(on, person), first))).toBe('UNAUTHENTICATED');
    expect(await factorOf(page)).toMatchObject({ recoveryCodesLeft: 9 });
    expect((await trailOf(person)).slice(1)).toEqual([
      { actor: 'user', action: 'second_factor.recovery_code_used', details: { left: 9 } },
    ]);
  });

  test('is right no more once new ones are made', async () => {
    const { secret, codes } = await turnOn(on, person, page);
    const { data } = await prove('renewRecoveryCodes(input: $input) { codes }', {
      password: person.password,
      code: codeOf(secret),
    });
    const [fresh = ''] = data?.result?.codes ?? [];
    expect(code(await giveCode(on, await givePassword(on, person), codes[0] ?? ''))).toBe('UNAUTHENTICATED');
    expect(code(await giveCode(on, await givePassword(on, person), fresh))).toBe('ok');
    expect((await trailOf(person))[1]).toMatchObject({ action: 'second_factor.recovery_codes_renewed' });
  });
});

describe('wrong codes', () => {
  const wrong = async () => giveCode(on, await givePassword(on, person), '000000');

  test('five of them lock the person, and right passwords between them forget none', async () => {
    const { secret } = await turnOn(on, person, page);
    for (let tries = 0; tries < 5; tries++) expect(code(await wrong())).toBe('UNAUTHENTICATED');
    const { errors } = await giveCode(on, await givePassword(on, person), codeOf(secret));
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
    const told = await on.sql('select actor, action from audit_entries where subject = $1 order by id desc limit 2', [
      person.userId,
    ]);
    expect(told).toEqual([
      { actor: 'stranger', action: 'user.locked_out' },
      { actor: 'stranger', action: 'session.refused' },
    ]);
  });

  test('lock a recovery code too', async () => {
    const { codes } = await turnOn(on, person, page);
    for (let tries = 0; tries < 5; tries++) await wrong();
    expect(code(await giveCode(on, await givePassword(on, person), codes[0] ?? ''))).toBe('RATE_LIMITED');
  });

  test('of strangers keep out nobody who signed in with that browser before', async () => {
    const known = knownBy(await trySignIn(on, person));
    const { secret } = await turnOn(on, person, page);
    for (let tries = 0; tries < 5; tries++) await wrong();
    expect(code(await giveCode(on, await givePassword(on, person, known), codeOf(secret)))).toBe('ok');
  });

  test('of all browsers in which the person signed in before are counted together', async () => {
    const [first, second] = [knownBy(await trySignIn(on, person)), knownBy(await trySignIn(on, person))];
    const { secret } = await turnOn(on, person, page);
    for (let tries = 0; tries < 5; tries++) await giveCode(on, await givePassword(on, person, first), '000000');
    expect(code(await giveCode(on, await givePassword(on, person, second), codeOf(secret)))).toBe('RATE_LIMITED');
    expect(code(await giveCode(on, await givePassword(on, person), codeOf(secret)))).toBe('ok');
  });

  test('of one person lock nobody else', async () => {
    const other = await addPerson(on, customer.accountId);
    await turnOn(on, person, page);
    const { secret } = await turnOn(on, other, await openPage(on, other));
    for (let tries = 0; tries < 5; tries++) await wrong();
    expect(code(await giveCode(on, await givePassword(on, other), codeOf(secret)))).toBe('ok');
  });

  test('five of who is signed in lock the change of it', async () => {
    const { secret } = await turnOn(on, person, page);
    const input = { password: person.password, code: '000000' };
    for (let tries = 0; tries < 5; tries++) expect(code(await turnOff(input))).toBe('UNAUTHENTICATED');
    expect(code(await turnOff({ ...input, code: codeOf(secret) }))).toBe('RATE_LIMITED');
  });
});

describe('turning it off', () => {
  test('asks for the password and a code', async () => {
    const { secret } = await turnOn(on, person, page);
    expect(code(await turnOff({ password: 'not the password', code: codeOf(secret) }))).toBe('UNAUTHENTICATED');
    expect(code(await turnOff({ password: person.password, code: '000000' }))).toBe('UNAUTHENTICATED');
    const { data } = await turnOff({ password: person.password, code: codeOf(secret) });
    expect(data?.result).toMatchObject({ secondFactorSince: null });
    expect((await trySignIn(on, person)).data?.signIn).toMatchObject({ kind: 'USER' });
    expect((await trailOf(person)).at(-1)).toMatchObject({ actor: 'user', action: 'second_factor.turned_off' });
  });

  test('by a recovery code, which is used up', async () => {
    const { codes } = await turnOn(on, person, page);
    expect(code(await turnOff({ password: person.password, code: codes[3] ?? '' }))).toBe('ok');
    expect(await factorOf(page)).toEqual({ since: null, isRequired: false, recoveryCodesLeft: 0 });
  });
});

describe('taking it away', () => {
  const take = (userId: string, headers: Record<string, string>, token?: string) =>
    on.graphql('mutation ($userId: String!) { takeSecondFactorAway(userId: $userId) { secondFactorSince } }', {
      variables: { userId },
      headers,
      ...(token === undefined ? {} : { token }),
    });

  test('by the operator lets the password alone sign in, ends the sessions and stands in the trail', async () => {
    await turnOn(on, person, page);
    expect((await take(person.userId, {}, OPERATOR_TOKEN)).data).toEqual({
      takeSecondFactorAway: { secondFactorSince: null },
    });
    on.app.authenticator.forget();
    expect(await factorOf(page)).toBeNull();
    expect((await trySignIn(on, person)).data?.signIn).toMatchObject({ kind: 'USER' });
    expect((await trailOf(person)).at(-1)).toMatchObject({ actor: 'operator', action: 'second_factor.taken_away' });
  });

  test('by an owner, of another person but not of oneself', async () => {
    const owner = await openPage(on, await addPerson(on, customer.accountId));
    await turnOn(on, person, page);
    expect(code(await take(person.userId, page))).toBe('INVALID_INPUT');
    expect(code(await take(`usr_${person.userId.slice(4).toUpperCase()}`, page))).toBe('INVALID_INPUT');
    expect(code(await take(person.userId, owner))).toBe('ok');
  });

  test('is nothing for a developer', async () => {
    const developer = await openPage(on, await addPerson(on, customer.accountId, 'developer'));
    await turnOn(on, person, page);
    expect(code(await take(person.userId, developer))).toBe('WRONG_AREA');
  });
});

describe('where the account requires it', () => {
  const require = (isRequired: boolean, headers = page) =>
    on.graphql(
      'mutation ($isRequired: Boolean!) { requireSecondFactor(input: { isRequired: $isRequired }) { secondFactorRequired } }',
      { variables: { isRequired }, headers },
    );

  test('who has none can do nothing but turn it on', async () => {
    expect((await require(true)).data).toEqual({ requireSecondFactor: { secondFactorRequired: true } });
    on.app.authenticator.forget();
    const there = await signIn(on, person);
    expect(await factorOf(there)).toEqual({ since: null, isRequired: true, recoveryCodesLeft: 0 });
    for (const asked of [
      '{ account { id } }',
      '{ sessions { id } }',
      'mutation { signOutEverywhere }',
      '{ roles { role } }',
    ])
      expect(code(await on.graphql(asked, { headers: there }))).toBe('WRONG_AREA');
    await turnOn(on, person, there);
    on.app.authenticator.forget();
    expect(code(await on.graphql('{ account { id } }', { headers: there }))).toBe('ok');
  });

  test('who may sign out', async () => {
    await require(true);
    const there = await signIn(on, person);
    expect((await on.graphql('mutation { signOut }', { headers: there })).data).toEqual({ signOut: true });
  });

  test('who has one goes on as before', async () => {
    await turnOn(on, person, page);
    await require(true);
    expect(code(await on.graphql('{ account { id } }', { headers: page }))).toBe('ok');
  });

  test('who turns it off must turn it on again', async () => {
    const { secret } = await turnOn(on, person, page);
    await require(true);
    await turnOff({ password: person.password, code: codeOf(secret) });
    on.app.authenticator.forget();
    expect(code(await on.graphql('{ account { id } }', { headers: page }))).toBe('WRONG_AREA');
  });

  test('tokens and the operator go on as before', async () => {
    await require(true);
    const acting = { 'x-account-id': customer.accountId };
    expect(code(await on.graphql('{ account { id } }', { token: OPERATOR_TOKEN, headers: acting }))).toBe('ok');
    expect(code(await on.graphql('{ account { id } }', { token: customer.tokens.unified }))).toBe('ok');
  });

  test('the operator requires it of an account that is named, and takes that back', async () => {
    const call = (isRequired: boolean) =>
      on.graphql(
        `mutation { requireSecondFactor(input: { accountId: "${customer.accountId}", isRequired: ${isRequired} }) { secondFactorRequired } }`,
        { token: OPERATOR_TOKEN },
      );
    expect((await call(true)).data).toEqual({ requireSecondFactor: { secondFactorRequired: true } });
    expect((await call(false)).data).toEqual({ requireSecondFactor: { secondFactorRequired: false } });
  });

  test('is nothing for a developer to say', async () => {
    const developer = await openPage(on, await addPerson(on, customer.accountId, 'developer'));
    expect(code(await require(true, developer))).toBe('WRONG_AREA');
  });
});

test('a secret whose key is lost leaves the recovery codes', async () => {
  const { secret, codes } = await turnOn(on, person, page);
  await on.sql(`update dashboard_users set second_factor_key_id = 'deadbeef' where id = $1`, [toUuid(person.userId)]);
  const forgotten = await on.graphql('mutation { forgetSecretKey(keyId: "deadbeef") { factors } }', {
    token: OPERATOR_TOKEN,
  });
  expect(forgotten.data).toEqual({ forgetSecretKey: { factors: 1 } });
  await forgetStep(on, person);
  expect(code(await giveCode(on, await givePassword(on, person), codeOf(secret)))).toBe('UNAUTHENTICATED');
  expect(code(await giveCode(on, await givePassword(on, person), codes[0] ?? ''))).toBe('ok');
});

test('a secret is sealed anew under the next key, which the former one is given up for', async () => {
  const { secret } = await turnOn(on, person, page);
  const keyIdOf = async () => {
    const [row] = await on.sql<{ id: string }>('select second_factor_key_id as id from dashboard_users where id = $1', [
      toUuid(person.userId),
    ]);
    return row?.id;
  };
  const { database } = on.app.services;
  const former = randomBytes(32);
  const sealed = sealSecret(createKeyRing(former, []), person.userId, secret);
  await on.sql('update dashboard_users set second_factor = $2, second_factor_key_id = $3 where id = $1', [
    toUuid(person.userId),
    sealed.sealed,
    sealed.keyId,
  ]);
  const next = createKeyRing(randomBytes(32), [former]);
  await resealFactors(database.sql(), next);
  expect(await keyIdOf()).toBe(next.currentId);
});
