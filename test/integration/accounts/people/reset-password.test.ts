import { beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { MailError } from '../../../../src/mail/mail.ts';
import { mailResetJob } from '../../../../src/modules/accounts/reset/reset.jobs.ts';
import { countsOfStrangers } from '../../../../src/modules/accounts/sign-in/guard-sign-in.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { addPerson, knownBy, OWN_PAGE, openPage, type Person, trySignIn } from '../../../support/people/people.ts';
import { codeOf, giveCode, givePassword, turnOn } from '../../../support/people/second-factor.ts';
import { OPERATOR } from '../../../support/services.ts';

const on = setUpApp({ env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'gateway@acme.example' } });
const customer = setUpCustomer(on);
let person: Person;

beforeEach(async () => {
  await on.sql('delete from sign_in_guards');
  await on.sql(`delete from pgboss.job where name = 'mail-reset'`);
  person = await addPerson(on, customer.accountId);
});

const code = ({ errors }: { errors: readonly { extensions: { code: string } }[] | null }) =>
  errors?.map(error => error.extensions.code).join() ?? 'ok';

const request = (email: string, headers: Record<string, string> = OWN_PAGE) =>
  on.graphql('mutation ($email: String!) { requestPasswordReset(input: { email: $email }) }', {
    variables: { email },
    headers,
  });

const reset = (token: string, password: string, headers: Record<string, string> = OWN_PAGE) =>
  on.graphql(
    'mutation ($token: String!, $password: String!) { resetPassword(input: { token: $token, password: $password }) }',
    {
      variables: { token, password },
      headers,
    },
  );

/** Runs the job for an address, and answers what it mailed: null, where nothing was. */
async function mailed(email: string, send?: () => Promise<void>): Promise<{ to: string; token: string } | null> {
  const letters: { to: string; text: string }[] = [];
  const made = on.app.makeCtx(OPERATOR, 'job');
  const mail = {
    isSet: true,
    send: async (letter: { to: string; text: string }) => void (send ? await send() : letters.push(letter)),
  };
  const ctx = made.with({ services: { ...made.services, mail } });
  await mailResetJob.run(ctx, { email, clientAddress: '192.0.2.7' });
  const [letter] = letters;
  return letter ? { to: letter.to, token: /\/dashboard\/reset#([\w-]{43})\n/.exec(letter.text)?.[1] ?? '' } : null;
}

const linkOf = async (): Promise<string> => (await mailed(person.email))?.token ?? '';

const NEXT = 'another sentence of mine';

describe('asking for a link', () => {
  test('does the same for an address that nobody has: one job, which looks it up', async () => {
    const [known, unknown] = [await request(person.email), await request('nobody@people.example')];
    expect([known.data, unknown.data]).toEqual([{ requestPasswordReset: true }, { requestPasswordReset: true }]);
    const jobs = await on.sql(`select data->>'email' as email from pgboss.job where name = 'mail-reset' order by 1`);
    expect(jobs).toHaveLength(2);
    expect(await mailed('nobody@people.example')).toBeNull();
  });

  test.each([
    ['a person', person => person.email],
    ['an address that nobody has', () => 'nobody@people.example'],
  ] as [string, (person: Person) => string][])('is refused after three for %s', async (_whom, emailOf) => {
    for (let tries = 0; tries < 3; tries++) expect(code(await request(emailOf(person)))).toBe('ok');
    const { errors } = await request(emailOf(person));
    expect(errors?.[0]).toMatchObject({
      message: 'Too many links were asked for. Try again in 15 minutes.',
      extensions: { code: 'RATE_LIMITED' },
    });
  });

  test('is refused after ten from one network address', async () => {
    for (let tries = 0; tries < 10; tries++) expect(code(await request(`n${tries}@people.example`))).toBe('ok');
    expect(code(await request(person.email))).toBe('RATE_LIMITED');
  });

  test('from a page of another origin is refused', async () => {
    const foreign = { ...OWN_PAGE, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect(code(await request(person.email, foreign))).toBe('WRONG_AREA');
  });

  test('the page is told that links are mailed', async () => {
    const { data } = await on.graphql('{ signInOptions { resetsPasswords } }');
    expect(data).toEqual({ signInOptions: { resetsPasswords: true } });
  });
});

describe('the mail', () => {
  test('goes to the person, and the trail says from where it was asked for', async () => {
    expect(await mailed(person.email)).toEqual({ to: person.email, token: expect.stringMatching(/^[\w-]{43}$/) });
    const trail = await on.sql('select actor, action, client_address from audit_entries where subject = $1', [
      person.userId,
    ]);
    expect(trail).toEqual([{ actor: 'stranger', action: 'user.reset_mailed', client_address: '192.0.2.7' }]);
  });

  test('goes to nobody who has no password here', async () => {
    await on.sql(`update dashboard_users set password_hash = null, oidc_subject = $2 where id = $1`, [
      toUuid(person.userId),
      person.userId,
    ]);
    expect(await mailed(person.email)).toBeNull();
  });

  test('is tried again where the server was away, and not where it refused for good', async () => {
    const away = () => Promise.reject(new MailError('The mail server could not be reached.', false));
    await expect(mailed(person.email, away)).rejects.toThrow('could not be reached');
    const refused = () => Promise.reject(new MailError('The mail server refused the address (550).', true));
    expect(await mailed(person.email, refused)).toBeNull();
  });

  test('holds a token that is kept as a hash alone', async () => {
    const token = await linkOf();
    const rows = await on.sql<{ row: string }>('select to_jsonb(u)::text as row from dashboard_users u');
    expect(rows.filter(({ row }) => row.includes(token))).toEqual([]);
  });
});

describe('the link', () => {
  test('sets the password once, ends all sessions and signs nobody in', async () => {
    const page = await openPage(on, person);
    const token = await linkOf();
    const answer = await reset(token, NEXT);
    expect(answer.data).toEqual({ resetPassword: true });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^heliograph_device=/)]);
    on.app.authenticator.forget();
    expect((await on.graphql('{ viewer { kind } }', { headers: page })).data).toEqual({ viewer: null });
    expect(code(await trySignIn(on, person))).toBe('UNAUTHENTICATED');
    expect(code(await trySignIn(on, { ...person, password: NEXT }))).toBe('ok');
    expect(code(await reset(token, 'one more sentence'))).toBe('NOT_FOUND');
    const trail = await on.sql(
      `select actor, details from audit_entries where subject = $1 and action = 'user.password_reset'`,
      [person.userId],
    );
    expect(trail).toEqual([{ actor: 'user', details: {} }]);
  });

  test('makes the browser known, so that strangers who fail do not keep the person out', async () => {
    for (const { key, quota } of countsOfStrangers(on.app.makeCtx({ kind: 'anonymous' }, 'req_1'), person.email))
      await on.sql(`insert into sign_in_guards values ($1, $2, now() + interval '15 minutes')`, [key, quota]);
    const answer = await reset(await linkOf(), NEXT);
    const renewed = { ...person, password: NEXT };
    expect(code(await trySignIn(on, renewed))).toBe('RATE_LIMITED');
    expect(code(await trySignIn(on, renewed, knownBy(answer)))).toBe('ok');
  });

  test('sets the password for one of ten who use it at once', async () => {
    const token = await linkOf();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, nth) => reset(token, `${NEXT} ${nth}`)));
    expect(answers.map(code).filter(heard => heard === 'ok')).toHaveLength(1);
  });

  test('is over after 30 minutes', async () => {
    const token = await linkOf();
    const [row] = await on.sql<{ left: number }>(
      'select extract(epoch from reset_expires_at - clock_timestamp())::float8 as left from dashboard_users where id = $1',
      [toUuid(person.userId)],
    );
    expect(row?.left).toBeGreaterThan(1_500);
    expect(row?.left).toBeLessThanOrEqual(1_800);
    await on.sql(
      `update dashboard_users set reset_expires_at = clock_timestamp() - interval '1 second' where id = $1`,
      [toUuid(person.userId)],
    );
    expect(code(await reset(token, NEXT))).toBe('NOT_FOUND');
  });

  test('is over once another one was mailed', async () => {
    const [first, second] = [await linkOf(), await linkOf()];
    expect(code(await reset(first, NEXT))).toBe('NOT_FOUND');
    expect(code(await reset(second, NEXT))).toBe('ok');
  });

  test('is over once the person changed the password', async () => {
    const token = await linkOf();
    const changed = await on.graphql(
      'mutation ($current: String!, $new: String!) { changePassword(input: { current: $current, new: $new }) { id } }',
      { variables: { current: person.password, new: NEXT }, headers: await openPage(on, person) },
    );
    expect(code(changed)).toBe('ok');
    expect(code(await reset(token, 'one more sentence'))).toBe('NOT_FOUND');
  });

  test('sets no password that is easy to guess, and holds still', async () => {
    const token = await linkOf();
    const { errors } = await reset(token, 'passwordpassword');
    expect(errors?.[0]?.extensions.errors).toMatchObject([{ field: 'password' }]);
    expect(code(await reset(token, NEXT))).toBe('ok');
  });

  test('leaves a second factor on', async () => {
    const { secret } = await turnOn(on, person, await openPage(on, person));
    await reset(await linkOf(), NEXT);
    const step = await givePassword(on, { ...person, password: NEXT });
    expect(code(await giveCode(on, step, codeOf(secret)))).toBe('ok');
  });

  test('from a page of another origin is refused', async () => {
    const foreign = { ...OWN_PAGE, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect(code(await reset(await linkOf(), NEXT, foreign))).toBe('WRONG_AREA');
  });
});
