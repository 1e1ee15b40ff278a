import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newId, toUuid } from '../../../../src/kernel/ids.ts';
import type { Role } from '../../../../src/kernel/role.ts';
import { type Customer, type GraphqlAnswer, OPERATOR_TOKEN } from '../../../support/app.ts';
import { setUpApp } from '../../../support/fixtures.ts';
import { inTime } from '../../../support/in-time.ts';
import {
  addPerson,
  OWN_PAGE,
  openPage,
  type Person,
  signedInBy,
  signIn,
  trySignIn,
} from '../../../support/people/people.ts';

const on = setUpApp({ env: { PUBLIC_URL: 'http://gateway.test' } });
let customer: Customer;
let owner: Person;
let page: Record<string, string>;

beforeEach(async () => {
  await on.sql('delete from sign_in_guards');
  customer = await on.customer();
  owner = await addPerson(on, customer.accountId);
  page = await openPage(on, owner);
});

const codes = ({ errors }: GraphqlAnswer<unknown>) => errors?.map(({ extensions }) => extensions.code) ?? [];
const faults = ({ errors }: GraphqlAnswer<unknown>) => errors?.[0]?.extensions.errors;

interface Invited {
  readonly inviteUser: { readonly link: string; readonly invitation: { readonly invitationId: string } };
}

async function invite(email: string, role: Role, headers = page) {
  const input = { email, role: role.toUpperCase() };
  const query =
    'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link invitation { invitationId email role invitedBy acceptedAt } } }';
  return on.graphql<Invited>(query, { variables: { input }, headers });
}

function tokenIn(answer: GraphqlAnswer<Invited>): string {
  return answer.data?.inviteUser.link.split('#')[1] ?? '';
}

function accept(token: string, password = 'a password of twelve') {
  return on.graphql(
    'mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { role user { email name } } }',
    { variables: { input: { token, name: 'Ada', password } }, headers: OWN_PAGE },
  );
}

/** Stops the clock of this process: what was read of a session would be read again after a second. */
function stayInSecond(): void {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => void vi.restoreAllMocks());
}

describe('an invitation', () => {
  const email = () => `${newId('usr')}@people.example`;

  test('is a link that makes a person with the role, who is signed in and can sign in again', async () => {
    const address = email();
    const invited = await invite(address.toUpperCase(), 'developer');
    expect(invited.data?.inviteUser).toMatchObject({
      link: expect.stringMatching(/^http:\/\/gateway\.test\/dashboard\/invitation#[\w-]{43}$/),
      invitation: { email: address, role: 'DEVELOPER', invitedBy: owner.email, acceptedAt: null },
    });
    const accepted = await accept(tokenIn(invited));
    expect(accepted.data).toEqual({ acceptInvitation: { role: 'DEVELOPER', user: { email: address, name: 'Ada' } } });
    const who = await on.graphql('{ viewer { role account { accountId } } }', { headers: signedInBy(accepted) });
    expect(who.data).toEqual({ viewer: { role: 'DEVELOPER', account: { accountId: customer.accountId } } });
    expect(codes(await trySignIn(on, { email: address, password: 'a password of twelve' }))).toEqual([]);
  });

  test('opens nothing a second time, after a week, when it was taken back, or when another one followed', async () => {
    const used = await invite(email(), 'viewer');
    await accept(tokenIn(used));
    const late = await invite(email(), 'viewer');
    await on.sql(`update dashboard_invitations set expires_at = now() where id = $1`, [
      toUuid(late.data?.inviteUser.invitation.invitationId ?? ''),
    ]);
    const taken = await invite(email(), 'viewer');
    await on.graphql('mutation ($id: String!) { revokeInvitation(invitationId: $id) { id } }', {
      variables: { id: taken.data?.inviteUser.invitation.invitationId },
      headers: page,
    });
    const again = email();
    const former = await invite(again, 'viewer');
    await invite(again, 'viewer');
    for (const answer of [used, late, taken, former])
      expect(codes(await accept(tokenIn(answer)))).toEqual(['NOT_FOUND']);
  });

  test('tells whoever has its link to what it invites, until it is over', async () => {
    const [address, query] = [
      email(),
      'query ($token: String!) { invitationOffer(token: $token) { accountName email role invitedBy } }',
    ];
    const token = tokenIn(await invite(address, 'developer'));
    const offer = async (of: string) => (await on.graphql(query, { variables: { token: of } })).data;
    expect(await offer(token)).toEqual({
      invitationOffer: {
        accountName: expect.any(String),
        email: address,
        role: 'DEVELOPER',
        invitedBy: owner.email,
      },
    });
    expect(await offer(`${token}x`)).toEqual({ invitationOffer: null });
    await accept(token);
    expect(await offer(token)).toEqual({ invitationOffer: null });
  });

  test('is accepted once, however many try at once', async () => {
    const token = tokenIn(await invite(email(), 'viewer'));
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(token)));
    // Two hash a password for one invitation at a time.
    const refused = ['NOT_FOUND', ...Array(3).fill('RATE_LIMITED')];
    expect(answers.map(answer => codes(answer).join()).sort()).toEqual(['', ...refused]);
  });

  test('is not for who signs in to the account already', async () => {
    const answer = await invite(owner.email, 'viewer');
    expect(faults(answer)).toEqual([{ field: 'email', message: 'signs in to this account already' }]);
  });

  test('tells an owner nothing of who signs in to other accounts, and cannot be accepted by them', async () => {
    const other = await addPerson(on, (await on.customer()).accountId);
    const [theirs, nobodys] = [await invite(other.email, 'viewer'), await invite(email(), 'viewer')];
    expect([codes(theirs), codes(nobodys)]).toEqual([[], []]);
    const message = 'is for an address that signs in to an account already';
    expect(faults(await accept(tokenIn(theirs)))).toEqual([{ field: 'token', message }]);
  });

  test('by the operator is not for who signs in to any account', async () => {
    const other = await addPerson(on, (await on.customer()).accountId);
    const answer = await on.graphql('mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }', {
      variables: { input: { accountId: customer.accountId, email: other.email, role: 'OWNER' } },
      token: OPERATOR_TOKEN,
    });
    expect(faults(answer)).toEqual([{ field: 'email', message: 'signs in to another account already' }]);
  });

  test.each([
    ['short', 'eleven char', 'must have 12 to 128 characters'],
    ['long', 'x'.repeat(129), 'must have 12 to 128 characters'],
  ])('takes no password that is too %s', async (_name, password, message) => {
    const answer = await accept(tokenIn(await invite(email(), 'viewer')), password);
    expect(faults(answer)).toEqual([{ field: 'password', message }]);
  });

  test('takes no password that is easy to guess, and says so at the field', async () => {
    const answer = await accept(tokenIn(await invite(email(), 'viewer')), 'passwordpassword');
    const mend = 'choose a sentence, or four words that nobody would expect together';
    expect(faults(answer)).toEqual([{ field: 'password', message: `is easy to guess, as it repeats itself: ${mend}` }]);
  });

  test('takes no password that is the address', async () => {
    const address = email();
    const answer = await accept(tokenIn(await invite(address, 'viewer')), address.toUpperCase());
    expect(faults(answer)).toEqual([{ field: 'password', message: 'must not be the e-mail address' }]);
  });

  test('comes from the operator for the first owner of an account', async () => {
    const input = { accountId: customer.accountId, email: email(), role: 'OWNER' };
    const invited = await on.graphql<Invited>(
      'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }',
      {
        variables: { input },
        token: OPERATOR_TOKEN,
      },
    );
    expect((await accept(tokenIn(invited))).data).toMatchObject({ acceptInvitation: { role: 'OWNER' } });
  });

  test('is listed for the owners of its account, without its token', async () => {
    const invited = await invite(email(), 'viewer');
    const list = await on.graphql('{ invitations { invitationId } }', { headers: page });
    expect(list.data).toEqual({ invitations: [{ invitationId: invited.data?.inviteUser.invitation.invitationId }] });
    const rows = await on.sql<{ row: string }>('select to_jsonb(i)::text as row from dashboard_invitations i');
    expect(rows.filter(({ row }) => row.includes(tokenIn(invited).slice(0, 12)))).toEqual([]);
  });
});

describe('the people of an account', () => {
  const change = (userId: string, role: string, headers = page) =>
    on.graphql('mutation ($input: UpdateUserInput!) { updateUser(input: $input) { role } }', {
      variables: { input: { userId, role } },
      headers,
    });
  const remove = (userId: string, headers = page) =>
    on.graphql('mutation ($id: String!) { removeUser(userId: $id) { email } }', { variables: { id: userId }, headers });

  test('get another role within a second, in the sessions that they have', async () => {
    const person = await addPerson(on, customer.accountId, 'viewer');
    const theirs = await signIn(on, person);
    expect((await change(person.userId, 'DEVELOPER')).data).toEqual({ updateUser: { role: 'DEVELOPER' } });
    on.app.authenticator.forget();
    expect((await on.graphql('{ viewer { role } }', { headers: theirs })).data).toEqual({
      viewer: { role: 'DEVELOPER' },
    });
  });

  test('are removed with their sessions', async () => {
    const person = await addPerson(on, customer.accountId, 'developer');
    const theirs = await signIn(on, person);
    expect((await remove(person.userId)).data).toEqual({ removeUser: { email: person.email } });
    on.app.authenticator.forget();
    expect((await on.graphql('{ viewer { role } }', { headers: theirs })).data).toEqual({ viewer: null });
    expect(codes(await trySignIn(on, person))).toEqual(['UNAUTHENTICATED']);
  });

  test.each([
    ['is removed', (userId: string) => remove(userId)],
    ['is an owner no more', (userId: string) => change(userId, 'DEVELOPER')],
  ])('take the open invitations of who %s along, and nobody else’s', async (_what, end) => {
    const second = await addPerson(on, customer.accountId);
    const theirs = await openPage(on, second);
    const [open, used, ours] = [
      await invite(`${newId('usr')}@people.example`, 'owner', theirs),
      await invite(`${newId('usr')}@people.example`, 'viewer', theirs),
      await invite(`${newId('usr')}@people.example`, 'viewer'),
    ];
    expect(codes(await accept(tokenIn(used)))).toEqual([]);
    expect(codes(await end(second.userId))).toEqual([]);
    expect(codes(await accept(tokenIn(open)))).toEqual(['NOT_FOUND']);
    const list = await on.graphql('{ invitations { invitationId } }', { headers: page });
    const ids = [ours, used].map(({ data }) => ({ invitationId: data?.inviteUser.invitation.invitationId }));
    expect(list.data).toEqual({ invitations: expect.arrayContaining(ids) });
    const trail = await on.graphql('{ auditEntries(filter: { action: "invitation.revoked" }) { nodes { subject } } }', {
      headers: page,
    });
    const { invitationId } = open.data?.inviteUser.invitation ?? {};
    expect(trail.data).toEqual({ auditEntries: { nodes: [{ subject: invitationId }] } });
  });

  test('cannot invite anybody in the second in which a session outlives its person', async () => {
    const second = await addPerson(on, customer.accountId);
    const theirs = await openPage(on, second);
    stayInSecond();
    expect((await on.graphql('{ viewer { role } }', { headers: theirs })).data).toEqual({ viewer: { role: 'OWNER' } });
    // As another process does it, of which this one has not heard.
    await on.sql('delete from dashboard_users where id = $1', [toUuid(second.userId)]);
    expect(codes(await invite(`${newId('usr')}@people.example`, 'owner', theirs))).toEqual(['UNAUTHENTICATED']);
  });

  test.each([
    ['outlives its person', 'delete from dashboard_users where id = $1'],
    ['has a role of before', `update dashboard_users set role = 'support' where id = $1`],
  ])('cannot make a token in the second in which a session %s', async (_what, change) => {
    const second = await addPerson(on, customer.accountId, 'developer');
    const theirs = await openPage(on, second);
    const make = () =>
      on.graphql('mutation ($id: String!) { createToken(input: { accountId: $id, area: SMS }) { secret } }', {
        variables: { id: customer.accountId },
        headers: theirs,
      });
    stayInSecond();
    expect(codes(await make())).toEqual([]);
    // As another process does it, of which this one has not heard.
    await on.sql(change, [toUuid(second.userId)]);
    expect(codes(await make())).toEqual(['UNAUTHENTICATED']);
  });

  test('cannot change people or what they need in the second in which a session has a role of before', async () => {
    const [second, third] = [await addPerson(on, customer.accountId), await addPerson(on, customer.accountId)];
    const theirs = await openPage(on, second);
    stayInSecond();
    await on.graphql('{ viewer { role } }', { headers: theirs });
    // As another process does it, of which this one has not heard.
    await on.sql(`update dashboard_users set role = 'viewer' where id = $1`, [toUuid(second.userId)]);
    const factor = 'mutation { requireSecondFactor(input: { isRequired: true }) { id } }';
    for (const answer of [
      await change(second.userId, 'OWNER', theirs),
      await remove(third.userId, theirs),
      await on.graphql(factor, { headers: theirs }),
    ])
      expect(codes(answer)).toEqual(['UNAUTHENTICATED']);
    const [row] = await on.sql<{ role: string }>('select role from dashboard_users where id = $1', [
      toUuid(second.userId),
    ]);
    expect(row?.role).toBe('viewer');
  });

  test('create a token that may erase where they may themselves', async () => {
    const make = (headers: Record<string, string>) =>
      on.graphql('mutation ($id: String!) { createToken(input: { accountId: $id, area: MANAGEMENT }) { secret } }', {
        variables: { id: customer.accountId },
        headers,
      });
    expect(codes(await make(page))).toEqual([]);
    const developer = await openPage(on, await addPerson(on, customer.accountId, 'developer'));
    expect(faults(await make(developer))).toMatchObject([{ field: 'area' }]);
  });

  test('keep their last owner, whom nobody removes or gives another role', async () => {
    const message = 'would leave the account without an owner: make somebody else one first';
    expect(faults(await change(owner.userId, 'VIEWER'))).toEqual([{ field: 'role', message }]);
    expect(faults(await remove(owner.userId))).toEqual([{ field: 'userId', message }]);
  });

  test('keep one owner where two remove one another at once', async () => {
    const second = await addPerson(on, customer.accountId);
    const theirs = await openPage(on, second);
    const answers = await Promise.all([remove(second.userId), remove(owner.userId, theirs)]);
    expect(answers.filter(answer => codes(answer).length === 0)).toHaveLength(1);
    const rows = await on.sql('select id from dashboard_users where account_id = $1', [toUuid(customer.accountId)]);
    expect(rows).toHaveLength(1);
  });

  test('of another account are as people who do not exist', async () => {
    const other = await on.customer();
    const stranger = await addPerson(on, other.accountId);
    for (const id of [stranger.userId, newId('usr')]) {
      expect(codes(await change(id, 'VIEWER'))).toEqual(['NOT_FOUND']);
      expect(codes(await remove(id))).toEqual(['NOT_FOUND']);
    }
    for (const accountId of [other.accountId, newId('acc')]) {
      const headers = page;
      const variables = { id: accountId, input: { accountId, email: 'a@b.example', role: 'OWNER' } };
      expect(
        codes(await on.graphql('query ($id: String!) { users(accountId: $id) { id } }', { variables, headers })),
      ).toEqual(['NOT_FOUND']);
      expect(
        codes(await on.graphql('query ($id: String!) { invitations(accountId: $id) { id } }', { variables, headers })),
      ).toEqual(['NOT_FOUND']);
      expect(
        codes(
          await on.graphql('mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }', {
            variables,
            headers,
          }),
        ),
      ).toEqual(['NOT_FOUND']);
      expect(
        codes(
          await on.graphql('mutation ($id: String!) { createToken(input: { accountId: $id, area: SMS }) { secret } }', {
            variables,
            headers,
          }),
        ),
      ).toEqual(['NOT_FOUND']);
    }
    const { data } = await on.graphql('{ users { userId } }', { headers: page });
    expect(data).toEqual({ users: [{ userId: owner.userId }] });
  });

  test('end sessions of their own and of nobody else', async () => {
    const [here, there] = [await signIn(on, owner), await trySignIn(on, owner)];
    const other = await trySignIn(on, await addPerson(on, customer.accountId));
    const end = (id: string | undefined) =>
      on.graphql('mutation ($id: String!) { revokeSession(sessionId: $id) { id } }', {
        variables: { id },
        headers: here,
      });
    expect(codes(await end(other.data?.signIn.session.sessionId))).toEqual(['NOT_FOUND']);
    expect(codes(await end(there.data?.signIn.session.sessionId))).toEqual([]);
    on.app.authenticator.forget();
    expect((await on.graphql('{ viewer { kind } }', { headers: signedInBy(there) })).data).toEqual({ viewer: null });
    expect(
      (await on.graphql<{ sessions: unknown[] }>('{ sessions { id } }', { headers: here })).data?.sessions,
    ).toHaveLength(2);
  });
});

describe('a change of the password', () => {
  const change = (current: string, headers: Record<string, string>, chosen = 'another long password') =>
    on.graphql('mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { email } }', {
      variables: { input: { current, new: chosen } },
      headers,
    });

  test('ends the other sessions and keeps this one', async () => {
    const [here, there] = [await signIn(on, owner), await signIn(on, owner)];
    expect(codes(await change(owner.password, here))).toEqual([]);
    on.app.authenticator.forget();
    const who = async (headers: Record<string, string>) => (await on.graphql('{ viewer { kind } }', { headers })).data;
    expect([await who(here), await who(there)]).toEqual([{ viewer: { kind: 'USER' } }, { viewer: null }]);
    expect(codes(await trySignIn(on, owner))).toEqual(['UNAUTHENTICATED']);
    expect(codes(await trySignIn(on, { ...owner, password: 'another long password' }))).toEqual([]);
  });

  test('to one that is easy to guess is refused at the field, and changes nothing', async () => {
    const answer = await change(owner.password, page, 'qwerty123456');
    expect(faults(answer)).toEqual([
      { field: 'new', message: expect.stringContaining('is easy to guess, as it is a common password: choose') },
    ]);
    expect(codes(await trySignIn(on, owner))).toEqual([]);
  });

  test('of two at once is made by one, and the other one hears that the present password is wrong', async () => {
    const there = await openPage(on, owner);
    const chosen = ['the first long password', 'the second long password'];
    const answers = await Promise.all([
      change(owner.password, page, chosen[0]),
      change(owner.password, there, chosen[1]),
    ]);
    expect(answers.map(answer => codes(answer).join()).sort()).toEqual(['', 'UNAUTHENTICATED']);
    const made = chosen[answers.findIndex(answer => codes(answer).length === 0)] ?? '';
    expect(codes(await trySignIn(on, { ...owner, password: made }))).toEqual([]);
  });

  test('needs the present one, and guesses at it lock out, which the audit trail tells', async () => {
    for (let tries = 0; tries < 5; tries++) expect(codes(await change('wrong', page))).toEqual(['UNAUTHENTICATED']);
    expect(codes(await change(owner.password, page))).toEqual(['RATE_LIMITED']);
    const trail = await on.graphql(
      '{ auditEntries(filter: { action: "user.locked_out" }) { nodes { actor userId subject } } }',
      { headers: page },
    );
    const { userId } = owner;
    expect(trail.data).toEqual({ auditEntries: { nodes: [{ actor: 'USER', userId, subject: userId }] } });
  });
});

describe('what people do is in the audit trail', () => {
  test('with who it was', async () => {
    const answer = await trySignIn(on, owner);
    const here = signedInBy(answer);
    await on.graphql(
      `mutation { createToken(input: { accountId: "${customer.accountId}", area: SMS }) { token { id } } }`,
      {
        headers: here,
      },
    );
    await on.graphql(
      'mutation { changePassword(input: { current: "'.concat(
        owner.password,
        '", new: "another long password" }) { id } }',
      ),
      {
        headers: here,
      },
    );
    await on.graphql('mutation { signOut }', { headers: here });
    const { data } = await on.graphql<{ auditEntries: { nodes: object[] } }>(
      '{ auditEntries { nodes { action actor userId userEmail tokenId subject } } }',
      { headers: await openPage(on, owner) },
    );
    const by = { actor: 'USER', userId: owner.userId, userEmail: owner.email, tokenId: null };
    const { sessionId } = answer.data?.signIn.session ?? {};
    expect(data?.auditEntries.nodes).toEqual([
      { action: 'session.ended', ...by, subject: sessionId },
      { action: 'user.password_changed', ...by, subject: owner.userId },
      { action: 'token.created', ...by, subject: expect.stringMatching(/^tok_/) },
      { action: 'session.started', ...by, subject: sessionId },
    ]);
  });

  test('by the operator as the operator', async () => {
    const answer = await on.graphql(
      'mutation ($input: SignInAsOperatorInput!) { signInAsOperator(input: $input) { kind } }',
      {
        variables: { input: { token: OPERATOR_TOKEN } },
        headers: OWN_PAGE,
      },
    );
    await on.graphql('mutation { signOutEverywhere }', { headers: signedInBy(answer) });
    const { data } = await on.graphql<{ auditEntries: { nodes: object[] } }>(
      '{ auditEntries(first: 2) { nodes { action actor accountId } } }',
      { token: OPERATOR_TOKEN },
    );
    expect(data?.auditEntries.nodes).toEqual([
      { action: 'session.all_ended', actor: 'OPERATOR', accountId: null },
      { action: 'session.started', actor: 'OPERATOR', accountId: null },
    ]);
  });
});

describe('a plan that is over', () => {
  test.each([
    [{ unifiedApi: false }, 'UNIFIED_API_DISABLED'],
    [{ planExpiresAt: new Date(Date.now() - 60_000) }, 'PLAN_EXPIRED'],
  ])('closes sending and webhooks to people, and hides nothing: %j', async (seed, code) => {
    const { accountId } = await on.customer(seed);
    const headers = await openPage(on, await addPerson(on, accountId));
    const ask = async (query: string) => codes(await on.graphql(query, { headers }));
    expect(
      await ask('{ account { id } balance { id } tokens { id } auditEntries { nodes { id } } logs { nodes { id } } }'),
    ).toEqual([]);
    expect(await ask('{ webhookEndpoints { total } }')).toEqual([code]);
    const send = 'mutation { sendMessage(input: { to: "+12025550100", text: "Hello", sender: "ACME" }) { id } }';
    expect(await ask(send)).toEqual([code]);
    expect(await ask('mutation { sendOtp(input: { to: "+12025550100" }) { id } }')).toEqual([code]);
  });
});

test('the requests of a session are limited as those of a token, by the session', async () => {
  const twoPages = async () => {
    const { accountId } = await on.customer({ rateLimit: 1 });
    const person = await addPerson(on, accountId);
    return [await openPage(on, person), await openPage(on, person)] as const;
  };
  const ask = async (headers: Record<string, string>) => codes(await on.graphql('{ account { id } }', { headers }));
  // A bucket holds two seconds' worth.
  const heard = await inTime(1_000, twoPages, async ([here, there]) => [
    await ask(here),
    await ask(here),
    await ask(here),
    await ask(there),
  ]);
  expect(heard).toEqual([[], [], ['RATE_LIMITED'], []]);
});
