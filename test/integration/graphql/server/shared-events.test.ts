import type { GraphQLField } from 'graphql';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Customer } from '../../../support/app.ts';
import { oncePerFile, setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { resultsOf } from '../../../support/graphql/event-stream.ts';
import { announceEntries } from '../../../support/logs/log-rows.ts';
import { addPerson, openPage } from '../../../support/people/people.ts';

const on = setUpApp();
const gateway = oncePerFile(() => on.app.start());
const customer: Customer = setUpOwnCustomer(on);
let stop: AbortController;

beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  vi.restoreAllMocks();
});

/** The operation of a stream. */
interface Asked {
  readonly query: string;
  readonly variables?: object;
}

const ENTRIES: Asked = { query: 'subscription { logAdded { id } }' };

/** Longer than the texts whose documents the gateway keeps. */
const LONG: Asked = { query: `${ENTRIES.query} # ${'x'.repeat(5_000)}` };

const BY_CHANNEL = 'subscription ($channel: Channel) { logAdded(filter: { channel: $channel }) { id } }';

function byToken(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Opens a stream over a connection of its own, and answers its results. */
async function follow(headers: Record<string, string>, asked: Asked): Promise<AsyncGenerator> {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(asked),
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  return resultsOf(response);
}

type Field = GraphQLField<unknown, unknown>;

type Resolved = Field & { resolve: NonNullable<Field['resolve']> };

/** How often GraphQL runs to tell one entry to all of these streams: its field at the root is resolved once in each run. */
async function countRuns(streams: readonly AsyncGenerator[]): Promise<number> {
  const field = on.app.schema.getSubscriptionType()?.getFields().logAdded as Resolved;
  const resolve = vi.spyOn(field, 'resolve');
  const [id] = await announceEntries(on.app.services.database, customer.accountId, 1);
  for (const results of streams) expect((await results.next()).value).toEqual({ data: { logAdded: { id } } });
  return resolve.mock.calls.length;
}

describe('GraphQL runs for an entry that is told over HTTP', () => {
  test.each([
    ['of one token', ENTRIES],
    ['whose text is longer than those that are kept', LONG],
    ['with variables', { query: BY_CHANNEL, variables: { channel: 'SMS' } }],
  ])('once for three streams %s', async (_which, asked) => {
    const headers = byToken(customer.tokens.unified);
    const streams = [await follow(headers, asked), await follow(headers, asked), await follow(headers, asked)];
    expect(await countRuns(streams)).toBe(1);
  });

  test('once more for each other token, text, variables and person', async () => {
    const { unified, management } = customer.tokens;
    const person = await openPage(on, await addPerson(on, customer.accountId));
    const streams = [
      await follow(byToken(unified), ENTRIES),
      await follow(byToken(unified), ENTRIES),
      await follow(byToken(management), ENTRIES),
      await follow(byToken(unified), { query: `${ENTRIES.query} ` }),
      await follow(byToken(unified), { query: BY_CHANNEL, variables: { channel: 'SMS' } }),
      await follow(byToken(unified), { query: BY_CHANNEL, variables: {} }),
      await follow(person, ENTRIES),
    ];
    expect(await countRuns(streams)).toBe(6);
  });

  test('once for each of the entries', async () => {
    const headers = byToken(customer.tokens.unified);
    const streams = [await follow(headers, ENTRIES), await follow(headers, ENTRIES)];
    expect(await countRuns(streams)).toBe(1);
    vi.restoreAllMocks();
    expect(await countRuns(streams)).toBe(1);
  });
});
