import { buildSchema, type ExecutionArgs, type ExecutionResult, parse } from 'graphql';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor, Ctx } from '../../../../src/context.ts';
import { sharedEvents } from '../../../../src/graphql/server/shared-events.ts';

const SCHEMA = buildSchema('type Query { now: Int } type Event { id: Int } type Subscription { events: Event }');

const BY_ID = 'subscription Events($of: Int) { events { id } }';

/** Longer than the texts whose documents the server keeps. */
const LONG = `${BY_ID} #${'x'.repeat(5_000)}`;

const TOKEN = { kind: 'token', tokenId: 'tok_1' } as Actor;
const OTHER_TOKEN = { kind: 'token', tokenId: 'tok_2' } as Actor;
const PERSON = { kind: 'user', userId: 'usr_1', role: 'developer' } as Actor;
const VIEWER = { ...PERSON, role: 'viewer' } as Actor;
const OPERATOR = { kind: 'operator', account: null } as Actor;

let subscribe: (args: ExecutionArgs) => Promise<AsyncGenerator<ExecutionResult>>;
let runs: number;
let failures: Error[];

beforeEach(() => {
  runs = 0;
  failures = [];
  const hook = sharedEvents().onSubscribe as unknown as (given: { setSubscribeFn: unknown }) => void;
  hook({ setSubscribeFn: (given: typeof subscribe) => (subscribe = given) });
});

/** The one event that all followers are told. */
function makeEvent() {
  return {
    events: {
      id: () => {
        runs += 1;
        const failure = failures.shift();
        if (failure) throw failure;
        return 7;
      },
    },
  };
}

/** The result that a follower gets of an event. */
async function tell(event: object, actor: Actor, { text = BY_ID, of = 1 } = {}): Promise<ExecutionResult> {
  async function* events() {
    yield event;
  }
  const results = await subscribe({
    schema: SCHEMA,
    document: parse(text),
    variableValues: { of },
    contextValue: { actor } as Ctx,
    subscribeFieldResolver: events,
  });
  return (await results.next()).value;
}

describe('GraphQL runs for an event', () => {
  const event = makeEvent();

  test.each([
    ['once for followers with the same token, text and variables', TOKEN, {}, {}, 1],
    ['once for followers with the same long text', TOKEN, { text: LONG }, { text: LONG }, 1],
    ['for another token', OTHER_TOKEN, {}, {}, 2],
    ['for a person', PERSON, {}, {}, 2],
    ['for other variables', TOKEN, { of: 2 }, {}, 2],
    ['for another text', TOKEN, { text: 'subscription { events { id } }' }, {}, 2],
  ])('%s', async (_what, actor, asked, first, expected) => {
    const one = makeEvent();
    expect(await tell(one, TOKEN, first)).toEqual({ data: { events: { id: 7 } } });
    expect(await tell(one, actor, asked)).toEqual({ data: { events: { id: 7 } } });
    expect(runs).toBe(expected);
  });

  test('for a person in each role', async () => {
    await tell(event, PERSON);
    await tell(event, PERSON);
    await tell(event, VIEWER);
    expect(runs).toBe(2);
  });

  test('for each stream of an operator', async () => {
    await tell(event, OPERATOR);
    await tell(event, OPERATOR);
    expect(runs).toBe(2);
  });

  test('once more for each event', async () => {
    await tell(makeEvent(), TOKEN);
    await tell(makeEvent(), TOKEN);
    expect(runs).toBe(2);
  });

  test('again where it failed for the first of them, who may only have been gone', async () => {
    const one = makeEvent();
    failures.push(new Error('gone'));
    expect((await tell(one, TOKEN)).errors).toHaveLength(1);
    expect(await tell(one, TOKEN)).toEqual({ data: { events: { id: 7 } } });
  });
});

test('a document that cannot be run is answered with its errors', async () => {
  const results = await subscribe({
    schema: SCHEMA,
    document: parse('query { now }'),
    operationName: 'Nothing',
    contextValue: { actor: TOKEN } as Ctx,
  });
  expect(results).toMatchObject({ errors: [{ message: expect.stringContaining('Nothing') }] });
});
