import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAccount, type OwnAccount } from '../../support/processes/accounts.ts';
import {
  ask,
  type DemoGateway,
  operatorTokenOf,
  type Sent,
  send,
  startDemoGateway,
} from '../../support/processes/gateway.ts';
import { residentBytes } from '../../support/resident-memory.ts';

/** How many requests the gateway works on at once, and how many callers ask again and again: it begins to refuse at eight that wait. */
const PLACES = 4;
const CALLERS = 150;
const ASKS_EACH = 12;

/** The most that the process may have grown by after the load: heaps and connections that are yet to be collected. */
const GROWTH_MAX = 150 * 1024 * 1024;

/** A send and its answer. */
interface Asked {
  readonly reference: string;
  readonly sent: Sent;
}

let gateway: DemoGateway;
let flooding: OwnAccount;
let limited: OwnAccount;
let other: OwnAccount;
let floods: Asked[];
let beyondLimit: Asked[];
let others: Asked[];
let before: number;

/** Makes an account that has credits enough. @param rateLimit requests a second; null: without a limit */
async function makeRich(name: string, rateLimit: number | null): Promise<OwnAccount> {
  const account = await makeAccount(gateway, name);
  const query = `mutation ($id: String!, $rateLimit: Int) {
    adjustBalance(input: { accountId: $id, credits: 100000, reason: "for a flood" }) { id }
    updateAccount(input: { accountId: $id, rateLimit: $rateLimit }) { id } }`;
  await ask(gateway, await operatorTokenOf(gateway), query, { id: account.accountId, rateLimit });
  return account;
}

async function askOnce({ token }: OwnAccount, reference: string): Promise<Asked> {
  return { reference, sent: await send(gateway, token, { reference, sender: 'ACME' }) };
}

/** Callers that ask again as soon as they are answered, whatever the answer is. */
async function flood(account: OwnAccount, callers: number, times: number): Promise<Asked[]> {
  const name = account.accountId.slice(-6);
  const all = Array.from({ length: callers }, async (_, caller) => {
    const own: Asked[] = [];
    for (let time = 0; time < times; time++) own.push(await askOnce(account, `${name}-${caller}-${time}`));
    return own;
  });
  return (await Promise.all(all)).flat();
}

const isTaken = ({ sent }: Asked): boolean => sent.status === 200;

beforeAll(async () => {
  gateway = await startDemoGateway({ env: { MAX_CONCURRENT_REQUESTS: String(PLACES) } });
  flooding = await makeRich('Flood', null);
  limited = await makeRich('Limited', 1);
  other = await makeRich('Other', null);
  // Code that is loaded and compiled once must not count as growth by the flood.
  await flood(other, 2, 20);
  before = residentBytes(gateway.pid);
  [floods, others] = await Promise.all([flood(flooding, CALLERS, ASKS_EACH), flood(other, 1, 20)]);
  beyondLimit = await flood(limited, 10, ASKS_EACH);
});
afterAll(async () => {
  gateway.kill('SIGTERM');
  await gateway.exited;
});

describe('in an overload of many times what can be done', () => {
  test('some sends are taken, and most of what is too much is refused', () => {
    expect(floods.filter(isTaken).length).toBeGreaterThan(PLACES);
    expect(floods.filter(asked => !isTaken(asked)).length).toBeGreaterThan(CALLERS);
  });

  test('each refusal says when to come again', () => {
    const refusals = [...floods, ...beyondLimit].filter(asked => !isTaken(asked));
    const kinds = new Set(
      refusals.map(({ sent }) => `${sent.status} ${sent.body.code} ${sent.headers.get('retry-after')}`),
    );
    expect([...kinds].filter(kind => !/^(503 overloaded|429 rate_limited) [1-9]\d*$/.test(kind))).toEqual([]);
  });

  test('an account beyond its limit is told so', () => {
    expect(beyondLimit.map(({ sent }) => sent.status)).toContain(429);
  });

  test('an account that asks for its share is refused nothing', () => {
    expect(others.filter(asked => !isTaken(asked)).map(({ sent }) => sent.text)).toEqual([]);
  });

  test('each send that was taken is stored, and none that was refused', async () => {
    const taken = floods.filter(isTaken).map(({ reference }) => reference);
    expect((await listReferences(flooding)).toSorted()).toEqual(taken.toSorted());
  });
});

describe('after an overload', () => {
  test('the next send is taken at once, of whoever flooded too', async () => {
    const answers = await Promise.all([flooding, other].map(account => askOnce(account, 'after')));
    expect(answers.map(({ sent }) => sent.status)).toEqual([200, 200]);
  });

  test('the process has not grown by more than it may', () => {
    expect(residentBytes(gateway.pid) - before).toBeLessThan(GROWTH_MAX);
  });
});

/** The references of all messages of an account, but for those that came afterwards. */
async function listReferences({ token }: OwnAccount): Promise<string[]> {
  const query = `query ($after: String) { messages(first: 200, after: $after) {
    nodes { reference } pageInfo { hasNextPage endCursor } } }`;
  interface Page {
    readonly nodes: readonly { readonly reference: string }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  }
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const { messages }: { messages: Page } = await ask(gateway, token, query, { after });
    found.push(...messages.nodes.map(({ reference }) => reference));
    if (!messages.pageInfo.hasNextPage) return found.filter(reference => reference !== 'after');
    after = messages.pageInfo.endCursor;
  }
}
