import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoGateway, send, startDemoGateway } from '../../support/processes/gateway.ts';

const STRANGERS = 200;
const TRIES_EACH = 3;
const SENDERS = 16;

let gateway: DemoGateway;

beforeAll(async () => {
  gateway = await startDemoGateway({ env: { TRUSTED_PROXIES: '1' } });
});
afterAll(async () => {
  gateway.kill('SIGTERM');
  await gateway.exited;
});

/** A sign-in with a wrong password, as a proxy hands it on. */
async function trySignIn(address: string, email: string) {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      'x-forwarded-for': address,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
    },
    body: JSON.stringify({
      query: 'mutation ($input: SignInInput!) { signIn(input: $input) { kind } }',
      variables: { input: { email, password: 'not the password' } },
    }),
  });
  const { errors } = (await response.json()) as { errors?: { message: string; extensions: { code: string } }[] };
  const { headers, status } = response;
  return { status, retryAfter: headers.get('retry-after'), code: errors?.[0]?.extensions.code, ...errors?.[0] };
}

test('two hundred strangers who sign in again and again are told when to come back, and no send is refused', async () => {
  let isOver = false;
  const strangers = Promise.all(
    Array.from({ length: STRANGERS }, async (_, index) => {
      const answers = [];
      for (let tries = 0; tries < TRIES_EACH; tries++)
        answers.push(await trySignIn(`10.${index}.0.1`, `${index}@people.example`));
      return answers;
    }),
  ).finally(() => {
    isOver = true;
  });
  const statuses = await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      const sent: number[] = [];
      while (!isOver) sent.push((await send(gateway, gateway.demo.tokens.unified)).status);
      return sent;
    }),
  );
  // The demo account may run out of credits, which is no matter of strangers.
  expect(statuses.flat().filter(status => status !== 200 && status !== 402)).toEqual([]);
  expect(statuses.flat().length).toBeGreaterThan(SENDERS);
  const answers = (await strangers).flat();
  const looked = answers.filter(({ status }) => status === 200);
  expect(looked.map(({ code }) => code)).toEqual(looked.map(() => 'UNAUTHENTICATED'));
  // One that was let in and whose password was not looked at within the deadline: on a busy machine.
  const late = answers.filter(({ code }) => code === 'OVERLOADED');
  expect(late.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(late.map(() => [503, '1']));
  const refused = answers.filter(answer => answer.status !== 200 && !late.includes(answer));
  expect(refused.length).toBeGreaterThan(STRANGERS);
  for (const { status, retryAfter, code, message } of refused)
    expect({ status, retryAfter, code, message }).toEqual({
      status: 429,
      retryAfter: '2',
      code: 'RATE_LIMITED',
      message: 'Too many passwords are being checked. Try again in 2 seconds.',
    });
});
