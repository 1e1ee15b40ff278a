import { beforeAll, expect, test } from 'vitest';
import { codeOf } from '../../support/people/second-factor.ts';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { type Gateway, startGateway } from '../../support/processes/gateway.ts';

let gateway: Gateway;
let env: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway();
  env = { DATA_DIR: gateway.dataDir };
});

interface User {
  readonly userId: string;
  readonly email: string;
  readonly role: string;
}

test('a person is invited by a link, accepts it, is listed and removed', async () => {
  const { stdout } = await runCommand(env, 'user', 'invite', '--email', 'ada@people.example', '--role', 'developer');
  const made = JSON.parse(stdout) as { link: string };
  expect(made).toMatchObject({ email: 'ada@people.example', role: 'developer', link: expect.any(String) });
  expect(made.link).toMatch(new RegExp(`^${gateway.url}/dashboard/invitation#[\\w-]{43}$`));
  const accept = (password: string) =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { role } }',
        variables: { input: { token: made.link.split('#')[1], password } },
      }),
    });
  // The code that judges passwords has to be in the bundle.
  expect(await (await accept('passwordpassword')).json()).toMatchObject({
    errors: [
      {
        message: expect.stringContaining('password: is easy to guess, as it repeats itself'),
        extensions: { code: 'INVALID_INPUT' },
      },
    ],
  });
  const response = await accept('a password of twelve');
  expect(await response.json()).toEqual({ data: { acceptInvitation: { role: 'DEVELOPER' } } });
  expect(response.headers.get('set-cookie')).toMatch(/^heliograph_session=[\w-]{43}; /);
  const users = await runCommandJson<User[]>(env, 'user', 'list');
  const ada = users.find(({ email }) => email === 'ada@people.example');
  const demo = users.find(({ role }) => role === 'owner');
  expect(await runCommandJson(env, 'user', 'remove', ada?.userId ?? '', '--yes')).toMatchObject({
    email: 'ada@people.example',
  });
  const last = await runCommand(env, 'user', 'remove', demo?.userId ?? '', '--yes');
  expect(last).toMatchObject({ status: 1, stderr: expect.stringContaining('without an owner') });
});

test('a second factor that is lost is taken away', async () => {
  const email = 'grace@people.example';
  const { stdout } = await runCommand(env, 'user', 'invite', '--email', email, '--role', 'viewer');
  let cookie = '';
  const ask = async (query: string) => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: gateway.url, cookie },
      body: JSON.stringify({ query: `mutation { result: ${query} }` }),
    });
    cookie ||= response.headers.get('set-cookie')?.split(';')[0] ?? '';
    return ((await response.json()) as { data: { result: { secret: string } } }).data.result;
  };
  const token = (JSON.parse(stdout) as { link: string }).link.split('#')[1];
  await ask(`acceptInvitation(input: { token: "${token}", password: "a password of twelve" }) { role }`);
  const { secret } = await ask('startSecondFactor(input: { password: "a password of twelve" }) { secret }');
  await ask(`confirmSecondFactor(input: { code: "${codeOf(secret)}" }) { codes }`);
  const factorOf = async () => {
    const users = await runCommandJson<(User & { secondFactorSince: string | null })[]>(env, 'user', 'list');
    return users.find(user => user.email === email);
  };
  const user = await factorOf();
  expect(user?.secondFactorSince).toEqual(expect.any(String));
  expect(await runCommandJson(env, 'user', 'take-factor', user?.userId ?? '', '--yes')).toMatchObject({
    email,
    secondFactorSince: null,
  });
  const trail = await runCommand(env, 'audit', 'list', '--action', 'second_factor.taken_away', '--json');
  expect(JSON.parse(trail.stdout)).toMatchObject([{ actor: 'operator', subject: user?.userId }]);
});

test('account set requires a second factor, and does not', async () => {
  const { accountId } = await runCommandJson<{ accountId: string }>(env, 'account', 'create', 'Quay');
  const set = (word: string) => runCommandJson(env, 'account', 'set', accountId, '--require-second-factor', word);
  expect(await set('on')).toMatchObject({ accountId, secondFactorRequired: true });
  expect(await set('off')).toMatchObject({ accountId, secondFactorRequired: false });
});
