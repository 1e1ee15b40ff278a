import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAccount, type OwnAccount } from '../../support/processes/accounts.ts';
import { type DemoGateway, send, startDemoGateway } from '../../support/processes/gateway.ts';

const STREAMS_MAX = 20;
const TOO_MANY = 200;
/** As many as the account has credits for. */
const SENDS = 10;

let gateway: DemoGateway;
let other: OwnAccount;
let stop: AbortController;

beforeAll(async () => {
  gateway = await startDemoGateway({ env: { STREAMS_PER_ACCOUNT: String(STREAMS_MAX) } });
  other = await makeAccount(gateway);
  stop = new AbortController();
});
afterAll(async () => {
  stop.abort();
  gateway.kill('SIGTERM');
  await gateway.exited;
});

/** Opens a stream that asks for all of each entry, by a document of its own, and reads it. */
async function open(index: number): Promise<number> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.demo.tokens.unified}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({
      query: `subscription S${index} { logAdded { id type channel status recipient sender messageId latencyMs createdAt connection { name } } }`,
    }),
    signal: stop.signal,
  });
  if (response.status === 200) response.body?.pipeTo(new WritableStream()).catch(() => undefined);
  else await response.text();
  return response.status;
}

test('sends of an account are answered while a token of another follows as many streams as it may, and asks for more', async () => {
  // All at once: a refusal of a stream is told after some seconds.
  const statuses = await Promise.all(Array.from({ length: STREAMS_MAX + TOO_MANY }, (_, index) => open(index)));
  expect(statuses.filter(status => status === 200)).toHaveLength(STREAMS_MAX);
  expect(statuses.filter(status => status === 429)).toHaveLength(TOO_MANY);
  const answers: number[] = [];
  for (let sent = 0; sent < SENDS; sent++) {
    const [followed, beside] = await Promise.all([
      send(gateway, gateway.demo.tokens.unified),
      send(gateway, other.token, { sender: 'ACME' }),
    ]);
    answers.push(followed.status, beside.status);
  }
  expect(answers).toEqual(Array.from({ length: 2 * SENDS }, () => 200));
});
