import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGraphqlHandler, type GraphqlHandler } from '../../../../src/graphql/server/server.ts';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { type Customer, OPERATOR_TOKEN, restRequest } from '../../../support/app.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { resultsOf } from '../../../support/graphql/event-stream.ts';
import { TOLD } from '../../../support/leaks/leak-scan.ts';
import { announceEntries } from '../../../support/logs/log-rows.ts';
import { addPerson, openPage } from '../../../support/people/people.ts';

const STREAMS_MAX = 4;

const on = setUpApp({ env: { STREAMS_PER_ACCOUNT: String(STREAMS_MAX) } });
const customer: Customer = setUpOwnCustomer(on);
let stop: AbortController;

beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

/** Asks to follow the log; `headers` say who asks, where it is not the token. */
async function follow(token: string | null, headers: Record<string, string> = {}, accept = 'text/event-stream') {
  const body = { query: 'subscription { logAdded { id } }' };
  const request = restRequest('POST', '/graphql', { token, body, headers: { ...headers, accept } });
  return on.app.fetch(new Request(request, { signal: stop.signal }));
}

/** Opens as many streams of the customer as it may. */
async function fill(): Promise<Response[]> {
  const { unified, management, sms } = customer.tokens;
  const person = await openPage(on, await addPerson(on, customer.accountId));
  return [await follow(unified), await follow(management), await follow(sms), await follow(null, person)];
}

function addEntries(count: number): Promise<string[]> {
  return announceEntries(on.app.services.database, customer.accountId, count);
}

describe('streams of an account', () => {
  test('are counted over its tokens and people, and one more is refused in a sentence', async () => {
    const open = await fill();
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await follow(await customer.token('unified'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await resultsOf(refused).next()).value).toMatchObject({
      errors: [
        {
          message:
            'The account follows 4 streams of events here, as many as it may (STREAMS_PER_ACCOUNT). End one of them first.',
          extensions: { code: 'RATE_LIMITED', retryAfter: 5 },
        },
      ],
    });
  });

  test('are refused without a request of the limit, in whatever form they are asked for', async () => {
    const { tokens } = await on.customer({ rateLimit: 5 });
    for (let stream = 0; stream < STREAMS_MAX; stream++) await follow(tokens.unified);
    // More than the ten requests that the limit lets in at once.
    for (let again = 0; again < 12; again++) {
      const accept = again % 2 === 0 ? 'text/event-stream' : 'text/event-stream, multipart/mixed';
      const refused = await follow(tokens.unified, {}, accept);
      expect((await resultsOf(refused).next()).value).toMatchObject({
        errors: [{ message: expect.stringContaining('follows 4 streams') }],
      });
    }
    expect((await on.graphql('{ account { id } }', { token: tokens.unified })).status).toBe(200);
  });

  test('are told what is wrong with them first', async () => {
    await fill();
    const body = { query: 'subscription { logAded { id } }' };
    const headers = { accept: 'text/event-stream' };
    const wrong = await on.app.fetch(
      restRequest('POST', '/graphql', { token: customer.tokens.unified, body, headers }),
    );
    expect((await resultsOf(wrong).next()).value).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
  });

  test('are refused alone where their document holds a query too', async () => {
    const query = 'subscription Live { logAdded { id } } query Once { account { id } }';
    const ask = async (operationName: string) => {
      const body = { query, operationName };
      const headers = { accept: 'text/event-stream' };
      const request = restRequest('POST', '/graphql', { token: customer.tokens.unified, body, headers });
      return (await on.app.fetch(new Request(request, { signal: stop.signal }))).status;
    };
    for (let stream = 0; stream < STREAMS_MAX; stream++) expect(await ask('Live')).toBe(200);
    expect([await ask('Live'), await ask('Once')]).toEqual([429, 200]);
  });

  test('take no place of another account', async () => {
    await fill();
    const other = await on.customer();
    expect((await follow(other.tokens.unified)).status).toBe(200);
  });

  test('leave the operator in, who looks after them', async () => {
    await fill();
    const open = await follow(OPERATOR_TOKEN, { 'x-account-id': customer.accountId });
    expect(open.status).toBe(200);
  });

  test.each([
    [
      'was left',
      async (open: Response) => {
        const reader = open.body?.getReader();
        await reader?.read();
        await reader?.cancel();
      },
    ],
    [
      'was refused after it had begun',
      async (open: Response) => {
        const results = resultsOf(open);
        const last = results.next();
        await on.sql(`update tokens set revoked_at = now() where area = 'unified'`);
        on.app.authenticator.forget();
        await last;
        await results.next();
      },
    ],
  ])('have a place again when one of them %s', async (_why, end) => {
    const [first] = await fill();
    expect((await follow(customer.tokens.management)).status).toBe(429);
    if (first) await end(first);
    expect((await follow(customer.tokens.management)).status).toBe(200);
  });

  test('have a place again when the caller of one is gone', async () => {
    await fill();
    stop.abort();
    stop = new AbortController();
    await expect.poll(async () => (await follow(customer.tokens.management)).status).toBe(200);
  });

  test('that never begin take no place', async () => {
    for (let round = 0; round <= STREAMS_MAX; round++) {
      const { errors } = await on.graphql('subscription { webhookEventAdded { id } }', { token: customer.tokens.sms });
      expect(errors).toMatchObject([{ extensions: { code: 'WRONG_AREA' } }]);
    }
    expect((await follow(customer.tokens.unified)).status).toBe(200);
  });

  test.each(['*/*', 'text/event-stream;q=0.5, */*', 'multipart/mixed, text/event-stream'])(
    'are events for who accepts %s, and take a place',
    async accept => {
      // Callers that accept anything get JSON unless they subscribe.
      expect((await on.graphql('{ account { id } }', { headers: { accept } })).status).toBe(200);
      for (let round = 0; round < STREAMS_MAX; round++) {
        const { status, headers } = await follow(customer.tokens.unified, {}, accept);
        expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      }
      expect((await follow(customer.tokens.unified)).status).toBe(429);
    },
  );

  test.each(['application/json', 'multipart/mixed'])('that are asked for as %s take no place', async accept => {
    for (let round = 0; round <= STREAMS_MAX; round++)
      expect((await follow(customer.tokens.unified, {}, accept)).status).toBe(406);
    expect((await follow(customer.tokens.unified)).status).toBe(200);
  });
});

describe('streams of a process', () => {
  const ALL_MAX = 4;
  let handler: GraphqlHandler;

  beforeEach(() => {
    handler = createGraphqlHandler(on.app.schema, TOLD.logger(), {
      playground: true,
      trustedDocuments: null,
      streamsPerAccount: 3,
      streamsMax: ALL_MAX,
    });
  });

  /** Asks a process that has few places to follow the log of an account. */
  async function followBy(token: string, query = 'subscription { logAdded { id } }') {
    const request = restRequest('POST', '/graphql', { body: { query }, headers: { accept: 'text/event-stream' } });
    const actor = await on.app.authenticator.authenticate(`Bearer ${token}`, undefined);
    const response = await handler(request, on.app.makeCtx(actor, 'req_streams'));
    return { status: response.status, headers: response.headers, results: resultsOf(response) };
  }

  const MAKES_ROOM = {
    errors: [
      {
        message:
          'The stream makes room for another account: the process follows as many as it may, and most of them for this one. Follow again in a moment.',
        extensions: { code: 'OVERLOADED', retryAfter: 5 },
      },
    ],
  };

  test('make room for an account that has fewer: one of who has the most ends with a sentence', async () => {
    const [greedy, modest, newcomer] = [customer, await on.customer(), await on.customer()];
    const own = [];
    for (let index = 0; index < 3; index++) own.push(await followBy(greedy.tokens.unified));
    const others = [await followBy(modest.tokens.unified), await followBy(newcomer.tokens.unified)];
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    const last = own.pop();
    expect((await last?.results.next())?.value).toEqual(MAKES_ROOM);
    expect(await last?.results.next()).toMatchObject({ done: true });
    const [id] = await addEntries(1);
    for (const { results } of own) expect((await results.next()).value).toEqual({ data: { logAdded: { id } } });
  });

  test('are refused to one who would then have more than those who make room', async () => {
    const statuses = [];
    for (let index = 0; index < ALL_MAX; index++)
      statuses.push((await followBy((await on.customer()).tokens.unified)).status);
    const refused = await followBy(customer.tokens.unified);
    expect([...statuses, refused.status]).toEqual([200, 200, 200, 200, 503]);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await refused.results.next()).value).toMatchObject({
      errors: [
        {
          message: 'This process follows as many streams of events as it may. Try again in a moment.',
          extensions: { code: 'OVERLOADED', retryAfter: 5 },
        },
      ],
    });
  });

  test('make no room for who may not follow', async () => {
    const own = [];
    for (let index = 0; index < 3; index++) own.push(await followBy(customer.tokens.unified));
    const other = await on.customer();
    await followBy(other.tokens.unified);
    const refused = await followBy(other.tokens.sms, 'subscription { webhookEventAdded { id } }');
    expect((await refused.results.next()).value).toMatchObject({ errors: [{ extensions: { code: 'WRONG_AREA' } }] });
    const [id] = await addEntries(1);
    for (const { results } of own) expect((await results.next()).value).toEqual({ data: { logAdded: { id } } });
  });

  test('have a place again when one has ended', async () => {
    const open = [];
    for (let index = 0; index < ALL_MAX; index++) open.push(await followBy((await on.customer()).tokens.unified));
    const first = open[0]?.results;
    const waiting = first?.next();
    await on.sql(`update tokens set revoked_at = now() where account_id <> $1`, [toUuid(customer.accountId)]);
    on.app.authenticator.forget();
    expect((await waiting)?.value).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect((await followBy(customer.tokens.unified)).status).toBe(200);
  });
});

test('a stream whose token is revoked ends with an error that says so', async () => {
  const open = await follow(customer.tokens.unified);
  const results = resultsOf(open);
  const last = results.next();
  await on.sql('update tokens set revoked_at = now()');
  on.app.authenticator.forget();
  expect((await last).value).toMatchObject({
    errors: [{ message: 'The token is not valid any more.', extensions: { code: 'UNAUTHENTICATED' } }],
  });
  expect(await results.next()).toMatchObject({ done: true });
});

test('a stream that is read too slowly says how many entries were left out before the next one', async () => {
  const open = await follow(customer.tokens.unified);
  const inTime = resultsOf(await follow(customer.tokens.management));
  const ids: string[] = [];
  for (let round = 0; round < 6; round++) {
    const added = await addEntries(200);
    for (const id of added) expect((await inTime.next()).value).toEqual({ data: { logAdded: { id } } });
    ids.push(...added);
  }
  const last = ids.at(-1) ?? '';
  const told: string[] = [];
  let dropped = 0;
  for await (const result of resultsOf(open)) {
    const { data, extensions } = result as { data: { logAdded: { id: string } }; extensions?: { dropped: number } };
    dropped += extensions?.dropped ?? 0;
    told.push(data.logAdded.id);
    if (data.logAdded.id === last) break;
  }
  expect(dropped).toBeGreaterThan(0);
  expect(told.length + dropped).toBe(ids.length);
  expect(told).toEqual(ids.filter(id => told.includes(id)));
});
