import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Ctx } from '../../../../src/context.ts';
import { createKeyRing } from '../../../../src/kernel/crypto/key-ring.ts';
import {
  type Count,
  countsOfDevice,
  countsOfSession,
  countsOfStrangers,
  guardSignIn,
} from '../../../../src/modules/accounts/sign-in/guard-sign-in.ts';
import { keepDevice, readDevice } from '../../../../src/modules/accounts/sign-in/known-device.ts';
import { knownLane, type PasswordLane, strangersLane } from '../../../../src/modules/accounts/sign-in/password-lane.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import {
  addPerson,
  knownBy,
  OWN_PAGE,
  openPage,
  type Person,
  signIn,
  trySignIn,
} from '../../../support/people/people.ts';

const on = setUpApp({ env: { TRUSTED_PROXIES: '1' } });
const customer = setUpCustomer(on);
let person: Person;

beforeEach(async () => {
  await on.sql('delete from sign_in_guards');
  person = await addPerson(on, customer.accountId);
});

const code = ({ errors }: { errors: readonly { extensions: { code: string } }[] | null }) =>
  errors?.map(({ extensions }) => extensions.code).join() ?? 'ok';

const HERE = { 'x-forwarded-for': '192.0.2.1' };
const ELSEWHERE = { 'x-forwarded-for': '198.51.100.9' };

/** The context of a stranger at an address. */
function ctxAt(clientAddress: string, cookies: string | null = null): Ctx {
  const ctx = on.app.makeCtx({ kind: 'anonymous' }, 'req_1');
  return ctx.with({ request: { ...ctx.request, clientAddress, cookies } });
}

/** As if so many had failed under a key. */
async function fail({ key, quota }: Count, times = quota): Promise<void> {
  await on.sql(
    `insert into sign_in_guards values ($1, $2, now() + interval '15 minutes')
      on conflict (key) do update set failures = $2, over_at = excluded.over_at`,
    [key, times],
  );
}

async function failAll(counts: readonly Count[]): Promise<void> {
  for (const count of counts) await fail(count);
}

/** The headers of a browser in which the person signed in before. */
async function knownDevice(): Promise<Record<string, string>> {
  return { ...knownBy(await trySignIn(on, person, HERE)), ...HERE };
}

const failuresOf = async (start: string) =>
  (await on.sql<{ failures: number }>('select failures from sign_in_guards where key like $1', [`${start}%`])).map(
    ({ failures }) => failures,
  );

describe('a known device', () => {
  test('lets its person in however many strangers failed, at its own address too', async () => {
    const device = await knownDevice();
    await failAll(countsOfStrangers(ctxAt('192.0.2.1'), person.email));
    expect(code(await trySignIn(on, person, HERE))).toBe('RATE_LIMITED');
    expect(code(await trySignIn(on, person, device))).toBe('ok');
  });

  test('that is given a wrong password counts for itself alone', async () => {
    const device = await knownDevice();
    expect(code(await trySignIn(on, { ...person, password: 'not the password' }, device))).toBe('UNAUTHENTICATED');
    expect(await failuresOf('device/')).toEqual([1]);
    expect([await failuresOf('email/'), await failuresOf('pair/')]).toEqual([[], []]);
    expect(code(await trySignIn(on, person, device))).toBe('ok');
    expect(await failuresOf('device/')).toEqual([]);
  });

  test('that failed five times is a stranger, and no better than one', async () => {
    const device = await knownDevice();
    for (let tries = 0; tries < 5; tries++)
      expect(code(await trySignIn(on, { ...person, password: 'not the password' }, device))).toBe('UNAUTHENTICATED');
    expect(await failuresOf('pair/')).toEqual([]);
    expect(code(await trySignIn(on, { ...person, password: 'not the password' }, device))).toBe('UNAUTHENTICATED');
    expect([await failuresOf('device/'), await failuresOf('pair/')]).toEqual([[5], [1]]);
    await on.sql(`update sign_in_guards set failures = 5 where key like 'pair/%'`);
    expect(code(await trySignIn(on, person, device))).toBe('RATE_LIMITED');
  });

  test('is known no more once the password is another one', async () => {
    const device = await knownDevice();
    const other = await addPerson(on, customer.accountId);
    await on.sql(
      'update dashboard_users set password_hash = (select password_hash from dashboard_users where email = $1) where email = $2',
      [other.email, person.email],
    );
    await failAll(countsOfStrangers(ctxAt('192.0.2.1'), person.email));
    expect(code(await trySignIn(on, { ...person, password: other.password }, device))).toBe('RATE_LIMITED');
  });

  test('of one person is nothing for another one', async () => {
    const device = await knownDevice();
    const other = await addPerson(on, customer.accountId);
    await failAll(countsOfStrangers(ctxAt('192.0.2.1'), other.email));
    expect(code(await trySignIn(on, other, device))).toBe('RATE_LIMITED');
  });

  test('is known from the change of the password on where that was made', async () => {
    const page = await signIn(on, person);
    const password = 'seven quiet harbours at dusk';
    const changed = await on.graphql(
      'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { email } }',
      { variables: { input: { current: person.password, new: password } }, headers: page },
    );
    await failAll(countsOfStrangers(ctxAt('192.0.2.1'), person.email));
    expect(code(await trySignIn(on, { ...person, password }, { ...knownBy(changed), ...HERE }))).toBe('ok');
  });
});

describe('places to have a password checked', () => {
  /** The headers of a browser that is known, without a sign-in. */
  async function deviceOf({ email }: Person, address: string): Promise<Record<string, string>> {
    const [row] = await on.sql<{ hash: string }>('select password_hash as hash from dashboard_users where email = $1', [
      email,
    ]);
    const ctx = ctxAt(address);
    await keepDevice(ctx, `person ${email}`, row?.hash ?? '');
    return { ...OWN_PAGE, cookie: ctx.request.answerCookies.at(-1)?.split(';')[0] ?? '', 'x-forwarded-for': address };
  }

  /** Holds the turn of a lane, so that all who come to it wait, until the returned function is called. */
  function occupy(lane: PasswordLane): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    void lane.run({ person: 'nobody', shared: [] }, new AbortController().signal, () => promise);
    // The tests after one that fails sign in too.
    onTestFinished(() => resolve());
    return resolve;
  }

  /** Those of many that have ended, in the order of their ends. */
  function endsOf<Result>(all: readonly Promise<Result>[]): readonly Result[] {
    const ended: Result[] = [];
    for (const one of all) void one.then(result => ended.push(result));
    return ended;
  }

  test.each([
    ['account, from nine networks', (index: number) => `198.51.${index}.1`, true],
    ['network, of nine accounts', (index: number) => `2001:db8:5:${index}::1`, false],
  ])('are six for people of one %s: the others of them come as strangers', async (_what, addressOf, isOneAccount) => {
    const other = await addPerson(on, (await on.customer()).accountId);
    const device = await deviceOf(other, '192.0.2.1');
    await failAll(countsOfStrangers(ctxAt('192.0.2.1'), other.email));
    const people = [];
    for (let index = 0; index < 9; index++) {
      const one = await addPerson(on, isOneAccount ? customer.accountId : (await on.customer()).accountId);
      people.push({ one, known: await deviceOf(one, addressOf(index)) });
    }
    const release = occupy(knownLane);
    const crowd = people.map(({ one, known }) => trySignIn(on, { ...one, password: 'wrong' }, known));
    const ended = endsOf(crowd);
    await expect.poll(() => ended.map(code)).toEqual(Array(3).fill('UNAUTHENTICATED'));
    const late = trySignIn(on, other, device);
    release();
    expect(code(await late)).toBe('ok');
    await Promise.all(crowd);
  });

  test('are six for strangers of one network, whatever addresses of it they have', async () => {
    const release = occupy(strangersLane);
    const crowd = Array.from({ length: 7 }, (_, index) => {
      const nobody = { email: `nobody${index}@people.example`, password: 'wrong' };
      return trySignIn(on, nobody, { 'x-forwarded-for': `2001:db8:7:${index}::1` });
    });
    const ended = endsOf(crowd);
    const refusal = 'Too many passwords are being checked. Try again in 2 seconds.';
    await expect.poll(() => ended.map(({ errors }) => errors?.[0]?.message)).toEqual([refusal]);
    release();
    expect((await Promise.all(crowd)).map(code).filter(heard => heard === 'UNAUTHENTICATED')).toHaveLength(6);
  });
});

describe('the cookie of a known device', () => {
  const SECRET = 'the hash of a password';

  /** A context of the browser that a cookie was set in, with other secret keys if they are given. */
  async function browser(keys = on.app.services.keys, change = (value: string) => value): Promise<Ctx> {
    const ctx = ctxAt('192.0.2.1');
    await keepDevice(ctx, 'person ada@people.example', SECRET);
    const [cookie = ''] = ctx.request.answerCookies.at(-1)?.split(';') ?? [];
    const later = ctxAt('192.0.2.1', change(cookie));
    return later.with({ services: { ...later.services, keys } });
  }
  const known = (ctx: Ctx) => readDevice(ctx, 'person ada@people.example')?.isFor(SECRET) ?? false;

  test('names nobody in clear', async () => {
    const { request } = await browser();
    const parts = (request.cookies ?? '').split(/[.=]/).map(part => Buffer.from(part, 'base64url').toString());
    expect([request.cookies, ...parts].filter(part => part?.includes('ada'))).toEqual([]);
  });

  test('is not set where the database is away, and fails nothing that was done before', async () => {
    const ctx = ctxAt('192.0.2.1');
    const { database } = ctx.services;
    const away = { ...database, sql: () => database.sql(AbortSignal.abort()) };
    await keepDevice(ctx.with({ services: { ...ctx.services, database: away } }), 'person ada@people.example', SECRET);
    expect(ctx.request.answerCookies).toEqual([]);
  });

  test('holds under the next secret key while the former one is told', async () => {
    // The key of the tests' gateways.
    const former = Buffer.alloc(32, 1);
    const ctx = await browser(createKeyRing(former, []));
    await keepDevice(ctx, 'person ada@people.example', SECRET);
    const [cookie = ''] = ctx.request.answerCookies.at(-1)?.split(';') ?? [];
    const under = (current: number, previous: Buffer[]): Ctx =>
      ctx.with({
        request: { ...ctx.request, cookies: cookie },
        services: { ...ctx.services, keys: createKeyRing(Buffer.alloc(32, current), previous) },
      });
    expect([known(under(1, [])), known(under(2, [former])), known(under(2, []))]).toEqual([true, true, false]);
  });

  test.each([
    ['its id', /\.[0-9a-f-]{36}\./, '.00000000-0000-4000-8000-000000000000.'],
    ['its end', /\.\d{10}\./, '.9999999999.'],
    ['the proof of the password', /\.[\w-]{43}\./, `.${'A'.repeat(43)}.`],
    ['its signature', /\.[\w-]{43}$/, `.${'A'.repeat(43)}`],
  ])('is worth nothing with another one for %s', async (_part, part, other) => {
    expect(known(await browser())).toBe(true);
    expect(known(await browser(undefined, value => value.replace(part, other)))).toBe(false);
  });

  test('is worth nothing with another password, or after its end', async () => {
    const ctx = await browser();
    const device = readDevice(ctx, 'person ada@people.example');
    if (!device) throw new Error('the device is not known');
    expect(device.isFor('another hash')).toBe(false);
    const right = async () => 'found';
    expect(await guardSignIn(ctx, countsOfDevice(device), null, right)).toBe('found');
    const over = countsOfDevice({ ...device, until: new Date(Date.now() - 60_000) });
    await expect(guardSignIn(ctx, over, null, right)).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('strangers', () => {
  test('of one address that failed for a person keep none of another address out', async () => {
    const [, pair] = countsOfStrangers(ctxAt('198.51.100.9'), person.email);
    if (pair) await fail(pair);
    expect(code(await trySignIn(on, person, ELSEWHERE))).toBe('RATE_LIMITED');
    expect(code(await trySignIn(on, person, HERE))).toBe('ok');
  });

  test('of any addresses have twenty tries for a person together', async () => {
    const [everybody] = countsOfStrangers(ctxAt('198.51.100.9'), person.email);
    if (everybody) await fail(everybody, 19);
    expect(code(await trySignIn(on, { ...person, password: 'not the password' }, ELSEWHERE))).toBe('UNAUTHENTICATED');
    expect(code(await trySignIn(on, person, HERE))).toBe('RATE_LIMITED');
    const told = await on.sql('select action from audit_entries where subject = $1', [person.userId]);
    expect(told).toEqual([{ action: 'user.locked_out' }]);
  });

  test('are refused with 429, when to come back and what to do', async () => {
    await failAll(countsOfStrangers(ctxAt('192.0.2.1'), person.email));
    const { status, headers, errors } = await trySignIn(on, person, HERE);
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, errors?.[0]?.extensions.retryAfter]);
    expect(errors?.[0]?.message).toBe(
      'Too many wrong passwords. Try again in 15 minutes, or sign in with a browser in which you did before.',
    );
  });
});

describe('who is signed in', () => {
  const change = async (current: string) =>
    on.graphql('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { email } }', {
      variables: { input: { current, new: 'seven quiet harbours at dusk' } },
      headers: { ...(await openPage(on, person)), ...HERE },
    });

  test('changes the password however many strangers failed', async () => {
    await failAll(countsOfStrangers(ctxAt('192.0.2.1'), person.email));
    expect(code(await change(person.password))).toBe('ok');
  });

  test('and fails at that is counted in all sessions, apart from strangers', async () => {
    expect(code(await change('wrong'))).toBe('UNAUTHENTICATED');
    expect([await failuresOf('session/'), await failuresOf('email/')]).toEqual([[1], []]);
    await on.sql('delete from sign_in_guards');
    await failAll(countsOfSession(person.userId));
    expect(code(await change(person.password))).toBe('RATE_LIMITED');
    expect(code(await trySignIn(on, person, HERE))).toBe('ok');
  });
});
