/** Trusted documents: with a list of them nothing else runs over HTTP, but for the operator. */
import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSchema } from '../../../../src/graphql/schema.ts';
import pageDocuments from '../../../../src/graphql/server/page-documents.generated.json' with { type: 'json' };
import { readTrustedDocuments } from '../../../../src/graphql/server/trusted-documents.ts';
import { type Customer, createTestApp, OPERATOR_TOKEN, type TestApp } from '../../../support/app.ts';
import { addPerson, OWN_PAGE, openPage } from '../../../support/people/people.ts';

const LISTED = 'query Account { account { accountId } }';
const LOGS = 'query Logs($first: Int) { logs(first: $first) { nodes { id } } }';
const FOLLOWED = 'subscription Follow { logAdded { id } }';
const OTHER = '{ account { name } }';

const sha256 = (text: string): string => hash('sha256', text);
const listOf = (...documents: string[]) => Object.fromEntries(documents.map(text => [sha256(text), text]));

let folder: string;
let on: TestApp;
let customer: Customer;

async function fileOf(content: string): Promise<string> {
  const path = join(folder, `${sha256(content).slice(0, 16)}.json`);
  await writeFile(path, content);
  return path;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heliograph-trusted-'));
  const path = await fileOf(JSON.stringify(listOf(LISTED, LOGS, FOLLOWED)));
  on = await createTestApp({ env: { TRUSTED_DOCUMENTS: path } });
  customer = await on.customer();
});
afterAll(async () => {
  await on.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (body: object, token: string | null = customer.tokens.unified) =>
  on.rest('POST', '/graphql', { token, body });
const apollo = (sha256Hash: unknown, version = 1) => ({ extensions: { persistedQuery: { version, sha256Hash } } });
const account = () => ({ account: { accountId: customer.accountId } });

describe('a document of the list is answered', () => {
  test.each<[string, object]>([
    ['by its hash, as Apollo names it', apollo(sha256(LISTED))],
    ['by its hash as documentId', { documentId: sha256(LISTED) }],
    ['by its hash as documentId, with the name of the algorithm', { documentId: `sha256:${sha256(LISTED)}` }],
    ['by its text', { query: LISTED }],
    ['by both', { query: LISTED, ...apollo(sha256(LISTED)) }],
  ])('%s', async (_how, body) => {
    expect((await ask(body)).body.data).toEqual(account());
  });

  test('by GET', async () => {
    const extensions = encodeURIComponent(JSON.stringify(apollo(sha256(LISTED)).extensions));
    const { body } = await on.rest('GET', `/graphql?extensions=${extensions}`, { token: customer.tokens.unified });
    expect(body.data).toEqual(account());
  });

  test('with its variables, which are held to the limits', async () => {
    const { body } = await ask({ ...apollo(sha256(LOGS)), variables: { first: 201 } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
  });

  test('to whom its fields are open, and to no other', async () => {
    const { body } = await ask(apollo(sha256(LISTED)), null);
    expect(body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });
});

describe('any other document is refused', () => {
  test.each<[string, object, string]>([
    ['by its text', { query: OTHER }, 'PERSISTED_QUERY_ONLY'],
    ['though one of the list is named', { query: OTHER, ...apollo(sha256(LISTED)) }, 'PERSISTED_QUERY_ONLY'],
    ['though it is nearly one of the list', { query: `${LISTED} ` }, 'PERSISTED_QUERY_ONLY'],
    ['by a hash that is not on the list', apollo(sha256(OTHER)), 'PERSISTED_QUERY_NOT_FOUND'],
    ['by a name of every object', { documentId: '__proto__' }, 'PERSISTED_QUERY_NOT_FOUND'],
    ['by a hash in another version', apollo(sha256(LISTED), 2), 'PERSISTED_QUERY_ONLY'],
    [
      'by its text, with a hash in another version',
      { query: OTHER, ...apollo(sha256(LISTED), 2) },
      'PERSISTED_QUERY_ONLY',
    ],
    ['by its text, with a hash that is no text', { query: OTHER, ...apollo(5), documentId: 5 }, 'PERSISTED_QUERY_ONLY'],
    ['by a hash that is no text', apollo(5), 'PERSISTED_QUERY_ONLY'],
    ['by nothing', {}, 'PERSISTED_QUERY_ONLY'],
    ['as the schema', { query: '{ __schema { types { name } } }' }, 'PERSISTED_QUERY_ONLY'],
  ])('%s', async (_how, body, code) => {
    const answer = await ask(body);
    expect([answer.body.data ?? null, answer.body.errors]).toMatchObject([null, [{ extensions: { code } }]]);
  });

  test('as a subscription', async () => {
    const headers = { accept: 'text/event-stream' };
    const body = { query: 'subscription { logAdded { id type } }' };
    const { text } = await on.rest('POST', '/graphql', { token: customer.tokens.unified, body, headers });
    expect(text).toContain('PERSISTED_QUERY_ONLY');
  });
});

describe('what the pages of the gateway ask', () => {
  const [VIEWER = ''] = Object.entries(pageDocuments).flatMap(([name, text]) =>
    text.startsWith('query Viewer ') ? [name] : [],
  );
  const viewer = (headers: Record<string, string>) =>
    on.rest('POST', '/graphql', { token: null, body: { documentId: VIEWER }, headers });

  test('is answered to them, also before somebody is signed in', async () => {
    const person = await addPerson(on, customer.accountId);
    const { body } = await viewer(await openPage(on, person));
    expect(body.data).toMatchObject({ viewer: { kind: 'USER', user: { email: person.email } } });
    expect((await viewer(OWN_PAGE)).body.data).toEqual({ viewer: null });
  });

  test('is not answered to a token', async () => {
    const { body } = await ask({ documentId: VIEWER });
    expect([body.data ?? null, body.errors]).toMatchObject([
      null,
      [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    ]);
  });
});

test('the operator asks what he wants', async () => {
  const { body } = await ask({ query: '{ accounts { name } }' }, OPERATOR_TOKEN);
  expect(body.errors).toBeUndefined();
});

test('the REST facade is answered as ever', async () => {
  const { status } = await on.rest('GET', '/api/omni/logs', { token: customer.tokens.unified });
  expect(status).toBe(200);
});

describe('without a list', () => {
  test('a client that asks by a hash is told to send the text', async () => {
    const plain = await createTestApp();
    const { token } = { token: (await plain.customer()).tokens.unified };
    const { body } = await plain.rest('POST', '/graphql', { token, body: apollo(sha256(LISTED)) });
    await plain.close();
    expect(body.errors).toMatchObject([
      { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
    ]);
  });
});

describe('the gateway does not start with a list', () => {
  const schema = buildSchema();

  test.each<[string, string, RegExp]>([
    ['that is no JSON', '{', /cannot be read as/],
    ['that is a list', '[]', /cannot be read as/],
    ['of something else', '{"a": 1}', /cannot be read as/],
    ['with a wrong hash', JSON.stringify({ [sha256('a')]: LISTED }), /is not named by its hash/],
    [
      'with a hash in upper case',
      JSON.stringify({ [sha256(LISTED).toUpperCase()]: LISTED }),
      /is not named by its hash/,
    ],
    ['with a document that is none', JSON.stringify(listOf('{')), /cannot be asked here: Syntax Error/],
    ['with a field that does not exist', JSON.stringify(listOf('{ nothing }')), /Cannot query field "nothing"/],
    ['with a document that is too deep', JSON.stringify(listOf(`${'{a'.repeat(7)}${'}'.repeat(7)}`)), /too deep/],
    [
      'with two sends in one operation',
      JSON.stringify(
        listOf('mutation ($i: SendOtpInput!) { a: sendOtp(input: $i) { id } b: sendOtp(input: $i) { id } }'),
      ),
      /at most one of/,
    ],
  ])('%s', async (_what, content, message) => {
    const path = await fileOf(content);
    expect(() => readTrustedDocuments(path, schema)).toThrow(message);
  });

  test('that is not there', () => {
    expect(() => readTrustedDocuments(join(folder, 'none.json'), schema)).toThrow(/TRUSTED_DOCUMENTS names a file/);
  });
});
