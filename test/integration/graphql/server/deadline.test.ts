/** The time that a request may take, and what is left of it in the database: nothing. */
import { request as httpRequest } from 'node:http';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../../../src/context.ts';
import { createGraphqlHandler } from '../../../../src/graphql/server/server.ts';
import {
  acceptedOutcome,
  type Customer,
  createTestApp,
  restRequest,
  scriptedProviders,
  type TestApp,
} from '../../../support/app.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { TOLD } from '../../../support/leaks/leak-scan.ts';
import { SMS } from '../../../support/messaging/send-cases.ts';

const DEADLINE_MS = 300;

const READS: [string, string][] = [
  ['a page of the log', '{ logs { nodes { id } } }'],
  ['a summary of passcodes', '{ otpSummary { sent } }'],
  ['a page of messages with their attempts', '{ messages { nodes { id attempts { channel } } } }'],
  [
    'a page of the log beside a wait for a text',
    '{ logs { nodes { id } } sandboxWaitForText(to: "+12025550100", timeoutSeconds: 60) { id } }',
  ],
];
const WRITE = 'mutation { createPlant(input: { id: 9, name: "a" }) { id } }';

describePostgres('a statement that waits for a lock', () => {
  let on: TestApp;
  let url: string;
  let customer: Customer;
  let actor: Actor;
  let holder: pg.Client;
  let started: PromiseWithResolvers<void>;

  beforeAll(async () => {
    // A provider that takes as long as nobody waits for it.
    on = await createTestApp({
      // Without the jobs of a worker, which would wait for the lock too.
      env: { ROLE: 'api' },
      providers: scriptedProviders(async () => {
        started.resolve();
        await holdersEnd.promise;
        return acceptedOutcome();
      }),
    });
    ({ url } = await on.app.start());
    customer = await on.customer();
    actor = await on.app.authenticator.authenticate(`Bearer ${customer.tokens.unified}`);
  });
  afterAll(() => on.close());

  let holdersEnd: PromiseWithResolvers<void>;

  beforeEach(async () => {
    started = Promise.withResolvers();
    holdersEnd = Promise.withResolvers();
    holder = new pg.Client({ connectionString: on.testDatabase.kind === 'postgres' ? on.testDatabase.url : '' });
    await holder.connect();
  });
  afterEach(async () => {
    await holder.query('rollback');
    await holder.end();
    holdersEnd.resolve();
  });

  const lock = (...tables: string[]) => holder.query(`begin; lock table ${tables.join(', ')} in access exclusive mode`);

  /** How many statements wait for the lock. */
  async function waiting(): Promise<number> {
    const { rows } = await holder.query<{ count: string }>(
      "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return Number(rows[0]?.count);
  }

  async function until(count: (waiting: number) => boolean): Promise<number> {
    // Before the time of every request and statement is over, which would end it too.
    const endsAtMs = performance.now() + 5_000;
    for (;;) {
      const now = await waiting();
      if (count(now) || performance.now() > endsAtMs) return now;
    }
  }

  const handler = () =>
    createGraphqlHandler(on.app.schema, TOLD.logger(), {
      playground: true,
      trustedDocuments: null,
      streamsPerAccount: 1_000,
      deadlineMs: DEADLINE_MS,
    });

  async function askWithin(
    query: string,
    by = actor,
  ): Promise<{ status: number; retryAfter: string | null; body: unknown }> {
    const request = restRequest('POST', '/graphql', { body: { query } });
    const response = await handler()(request, on.app.makeCtx(by, 'req_deadline'));
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  }

  const OVERLOADED = {
    status: 503,
    retryAfter: '1',
    body: { errors: [{ extensions: { code: 'OVERLOADED', retryAfter: 1 } }] },
  };

  test.each(READS)('is answered 503 when the time of %s is over', async (_what, query) => {
    await lock('attempts', 'messages');
    expect(await askWithin(query)).toMatchObject(OVERLOADED);
  });

  test('is no reason for a wait to lend its time to a question about the schema', async () => {
    await lock('attempts', 'messages');
    const query = '{ __schema { types { name } } sandboxWaitForText(to: "+12025550100", timeoutSeconds: 60) { id } }';
    expect(await askWithin(query)).toMatchObject(OVERLOADED);
  });

  test.each(READS)('is gone when the time of %s is over', async (_what, query) => {
    await lock('attempts', 'messages');
    await askWithin(query);
    expect(await until(count => count === 0)).toBe(0);
  });

  test('is waited for where an operator looks for faults of the ledger', async () => {
    await lock('ledger', 'attempts');
    const operator = askWithin('{ ledgerFaults { kind } }', { kind: 'operator', account: null });
    expect(await until(count => count === 1)).toBe(1);
    // The time of one that began later is over.
    expect(await askWithin('{ logs { nodes { id } } }')).toMatchObject(OVERLOADED);
    expect(await until(count => count === 1)).toBe(1);
    await holder.query('rollback');
    expect(await operator).toMatchObject({ status: 200, body: { data: { ledgerFaults: [] } } });
  });

  test('changes nothing when the time of a change is over', async () => {
    await lock('plants');
    expect(await askWithin(WRITE)).toMatchObject(OVERLOADED);
    expect(await until(count => count === 0)).toBe(0);
    await holder.query('rollback');
    await expect(on.sql('select 1 from plants where id = 9')).resolves.toEqual([]);
  });

  /** Asks over a socket; `hangUp` closes it. */
  function askOverSocket(path: string, body?: object) {
    const request = httpRequest(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${customer.tokens.unified}`, 'content-type': 'application/json' },
    });
    request.on('error', () => undefined);
    request.end(body && JSON.stringify(body));
    return { hangUp: () => request.destroy() };
  }

  test.each<[string, string, object | undefined]>([
    ...READS.map(([what, query]): [string, string, object] => [`${what} by GraphQL`, '/graphql', { query }]),
    ['a change by GraphQL', '/graphql', { query: WRITE }],
    ['a page of the log by REST', '/api/omni/logs', undefined],
  ])('is gone when the caller of %s hangs up', async (_what, path, body) => {
    await lock('attempts', 'messages', 'plants');
    const call = askOverSocket(path, body);
    expect(await until(count => count === 1)).toBe(1);
    call.hangUp();
    expect(await until(count => count === 0)).toBe(0);
  });

  test('goes on when the caller of a send hangs up: what was accepted is sent', async () => {
    const reference = 'hung-up';
    const call = askOverSocket('/graphql', {
      query: 'mutation ($i: SendMessageInput!) { sendMessage(input: $i) { id } }',
      variables: { i: { ...SMS, channels: ['SMS'], reference } },
    });
    await started.promise;
    call.hangUp();
    holdersEnd.resolve();
    const stored = async () =>
      (await on.sql<{ status: string }>('select status from messages where reference = $1', [reference]))[0]?.status;
    const endsAtMs = performance.now() + 20_000;
    while ((await stored()) === 'pending' && performance.now() < endsAtMs);
    expect(await stored()).toBe('sent');
  });
});

describe('time that is not over', () => {
  test('leaves an answer as it is', async () => {
    const on = await createTestApp();
    const customer = await on.customer();
    const { data } = await on.graphql('{ account { accountId } }', { token: customer.tokens.unified });
    await on.close();
    expect(data).toEqual({ account: { accountId: customer.accountId } });
  });
});
