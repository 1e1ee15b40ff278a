import { expect, test } from 'vitest';
import { nameOperation } from '../../../../src/graphql/server/operation-name.ts';

test.each([
  ['by the request', { operationName: 'Mine', query: 'query Other { a } query Mine { b }' }, 'Mine'],
  ['by its name', { query: 'mutation Welcome($to: String = "{") { sendMessage { id } }' }, 'Welcome'],
  ['by its first field', { query: '# a note\n{ mine: tokens { id } }' }, 'tokens'],
  ['behind a fragment', { query: 'fragment Row on Token { id } query Rows { tokens { ...Row } }' }, 'Rows'],
  ['behind a fragment, without a name', { query: 'fragment Row on Token { id } { tokens { ...Row } }' }, 'tokens'],
  ['not by a comment', { query: '# query Ada {\nquery Rows { tokens { id } }' }, 'Rows'],
  ['not by a text', { query: '{ a(text: "query Ada { b }") { c } }' }, 'a'],
  ['where it does not parse', { query: 'query Broken {' }, 'Broken'],
  ['not by a text where it does not parse', { query: '{ a(text: "query Ada { b }"' }, null],
  ['not where it is a fragment alone', { query: 'fragment Row on Token { id }' }, null],
  ['not where there is none', {}, null],
])('an operation is named %s', (_how, params, name) => {
  expect(nameOperation(params)).toBe(name);
});
