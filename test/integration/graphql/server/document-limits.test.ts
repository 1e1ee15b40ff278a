/** The limits of documents, each at the limit and one above it, whatever way a document comes. */

import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../../src/cli/operations/operations.generated.ts';
import { parseDocument, validateDocument } from '../../../../src/graphql/guards.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { operationDocuments } from '../../../support/graphql/operation-documents.ts';
import { expectProblem } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpCustomer(on, { rateLimit: null });

const repeat = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

const nested = (depth: number): string => `${'{a'.repeat(depth)}${'}'.repeat(depth)}`;

interface Limit {
  readonly max: number;
  /** A document that has so many of what is limited. */
  readonly of: (count: number) => string;
  readonly message: string;
}

const LIMITS: Record<string, Limit> = {
  tokens: {
    max: 1_000,
    of: count => `{ account { ${'id '.repeat(count - 5)} } }`,
    message: 'Syntax Error: The document is too long.',
  },
  depth: { max: 6, of: nested, message: 'The document is too deep.' },
  'depth through fragments': {
    max: 6,
    of: count => `{ ...F } fragment F on Query { a { ...G } } fragment G on A ${nested(count - 1)}`,
    message: 'The document is too deep.',
  },
  aliases: {
    max: 10,
    of: count => `{ account { ${repeat(count, index => `a${index}: id`)} } }`,
    message: 'The document has too many aliases.',
  },
  'aliases through fragments': {
    max: 10,
    of: count =>
      `{ account { ...F ...F ...F ...F ...F ${repeat(count - 10, i => `b${i}: id`)} } } fragment F on Account { a: id b: name }`,
    message: 'The document has too many aliases.',
  },
  directives: {
    max: 10,
    of: count => `query ($no: Boolean = false) { account { id ${repeat(count, () => '...@skip(if: $no){ id }')} } }`,
    message: 'The document has too many directives.',
  },
  'fields at the root': {
    max: 10,
    of: count => `{ ${repeat(count, () => '__typename')} }`,
    message: 'The document asks for too many fields at its root.',
  },
  'fields at the root through fragments': {
    max: 10,
    of: count =>
      `{ ...F ...F ...F ${repeat(count - 9, () => '__typename')} } fragment F on Query { ...G __typename } fragment G on Query { account { id } ...{ __typename } }`,
    message: 'The document asks for too many fields at its root.',
  },
  cost: {
    max: 500,
    of: count =>
      `{ a: logs(first: 200) { nodes { id } } b: messages(first: 100) { edges { node { attempts { channel } } } } c: logs(first: ${count - 400}) { edges { node { id } } } }`,
    message: 'The document asks for too much at once.',
  },
  'cost by a variable': {
    max: 500,
    of: count =>
      `query ($n: Int = ${count - 400}) { a: logs(first: 200) { nodes { id } } b: messages(first: $n) { nodes { id } } c: otps(first: 200) { pageInfo { hasNextPage } } }`,
    message: 'The document asks for too much at once.',
  },
};

describe.each(Object.entries(LIMITS))('%s', (_name, { max, of, message }) => {
  const ask = (count: number) => on.graphql(of(count), { token: customer.tokens.unified });

  test('at the limit are let through', async () => {
    const { errors } = await ask(max);
    expect((errors ?? []).map(error => error.message)).not.toContain(message);
  });

  test('one above it are refused, and nothing of the document runs', async () => {
    const { data, errors } = await ask(max + 1);
    expect([data, errors?.map(error => error.message)]).toEqual([null, [message]]);
  });

  test('are refused without telling the limit', async () => {
    const { text } = await ask(max + 1);
    expect(text.replace(/"locations":\[[^\]]*\]/, '')).not.toMatch(/\d/);
  });

  test('are refused over server-sent events', async () => {
    const headers = { accept: 'text/event-stream' };
    const answer = await on.rest('POST', '/graphql', {
      token: customer.tokens.unified,
      body: { query: of(max + 1) },
      headers,
    });
    expect(answer.text).toContain(message);
  });

  test('are refused by GET', async () => {
    const answer = await on.rest('GET', `/graphql?query=${encodeURIComponent(of(max + 1))}`, {
      token: customer.tokens.unified,
    });
    expect(answer.text).toContain(message);
  });

  test('have status 400 where the answer is of the type of GraphQL', async () => {
    const headers = { accept: 'application/graphql-response+json' };
    const { status } = await on.rest('POST', '/graphql', {
      token: customer.tokens.unified,
      body: { query: of(max + 1) },
      headers,
    });
    expect(status).toBe(400);
  });
});

describe('the limits leave room for', () => {
  const LOG_FIELDS =
    'id type messageId pinId channel provider recipient sender reference status errorCode errorMessage segments credits latencyMs createdAt __typename';
  const ATTEMPT =
    'attempts { __typename attemptId channel provider status errorCode errorMessage segments credits startedAt finishedAt }';

  test.each<[string, string]>([
    [
      'a page of 200 of the log with every field',
      `{ logs(first: 200) { __typename edges { __typename cursor node { ${LOG_FIELDS} } } pageInfo { __typename hasNextPage endCursor } } }`,
    ],
    [
      'a page of 200 messages with their attempts',
      `{ messages(first: 200) { edges { node { id ${ATTEMPT} } } nodes { id } } }`,
    ],
    ['ten lists of 50', `{ ${repeat(10, index => `a${index}: logs { nodes { id } }`)} }`],
    [
      'an account, its senders and a page of each list',
      `{ account { id __typename } senders { id __typename } logs { nodes { ${LOG_FIELDS} } } messages { nodes { id ${ATTEMPT} } } otps { nodes { id } } }`,
    ],
  ])('%s', async (_name, query) => {
    const { errors } = await on.graphql(query, { token: customer.tokens.unified });
    expect(errors).toBeNull();
  });

  test('a page that is too large, which is refused as input', async () => {
    const answer = await on.graphql('{ logs(first: 201) { nodes { id } } }', { token: customer.tokens.unified });
    expectProblem(answer, 200, 'invalid_input', 'first');
  });

  test('the introspection query of every tool', async () => {
    const query = getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const { errors } = await on.graphql(query, { token: customer.tokens.sms });
    expect(errors).toBeNull();
  });

  test.each([
    ...operationDocuments(),
    ...Object.entries(OPERATIONS).map(([name, { document }]) => [name, document] as const),
  ])('the operation %s of the gateway itself', (_name, text) => {
    expect(validateDocument(on.app.schema, parseDocument(text), undefined)).toEqual([]);
  });

  test('several operations, each of which is within them', async () => {
    const query = repeat(5, index => `query Q${index} { ${repeat(8, alias => `a${alias}: account { id }`)} }`);
    expect(parse(query).definitions).toHaveLength(5);
    const answer = await on.rest('POST', '/graphql', {
      token: customer.tokens.unified,
      body: { query, operationName: 'Q3' },
    });
    expect(answer.body.errors).toBeUndefined();
  });
});

test('a document with one operation above the limits is refused, whichever is asked for', async () => {
  const query = `query A { account { id } } query B { ${'__typename '.repeat(11)} }`;
  const answer = await on.rest('POST', '/graphql', {
    token: customer.tokens.unified,
    body: { query, operationName: 'A' },
  });
  expect(answer.text).toContain('too many fields at its root');
});

test('a subscription is held to the limits', async () => {
  const query = `subscription { ${repeat(11, index => `a${index}: logAdded { id }`)} }`;
  const answer = await on.rest('POST', '/graphql', {
    token: customer.tokens.unified,
    body: { query },
    headers: { accept: 'text/event-stream' },
  });
  expect(answer.text).toContain('too many fields at its root');
});
