/** Input of callers: bodies of JSON, documents of GraphQL, numbers. */
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { parseDocument, validateDocument } from '../../../../src/graphql/guards.ts';
import { buildSchema } from '../../../../src/graphql/schema.ts';
import { DOCUMENT_LIMITS, rootFieldsOf } from '../../../../src/graphql/server/document-limits.ts';
import { AppError } from '../../../../src/kernel/errors.ts';
import { parsePhone } from '../../../../src/kernel/phone.ts';
import { parseJsonObject } from '../../../../src/rest/json-body.ts';
import { hold, same } from '../check.ts';
import type { FuzzTarget } from '../search.ts';

/** The value of a text by the language's own reader; undefined: it is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that the reader makes of a body; null where it refuses by one of our errors. */
function readOrRefuse(text: string, int64: boolean): Record<string, unknown> | null {
  try {
    return parseJsonObject(text, { int64 });
  } catch (error) {
    hold(error instanceof AppError, `no refusal: ${String(error)}`);
    hold(error.code === 'invalid_json' || error.code === 'invalid_input', `the code ${error.code}`);
    return null;
  }
}

/** A body: read as the language reads it, whole numbers exactly where that is asked for. */
export const jsonBody: FuzzTarget = {
  name: 'json-body',
  tokens: [
    '{"a":',
    '[',
    ']',
    '}',
    '"',
    '\\u0000',
    '\\ud800',
    '__proto__',
    '1e3',
    '1e99',
    '-0',
    '9007199254740993',
    '.5',
  ],
  seeds: [
    '{"to":"+12025550100","text":"a","channels":["sms"]}',
    '{"a":9007199254740993,"b":1e3,"c":-0,"d":1.50,"e":1e400}',
    `${'[{"a":'.repeat(15)}1${'}]'.repeat(15)}`,
    '{"__proto__":{"a":1},"a":{"__proto__":2}}',
  ],
  run: input => {
    const text = input.toString('utf8');
    const read = readOrRefuse(text, false);
    const expected = jsonOf(text);
    if (read === null) return;
    same(JSON.stringify(read), JSON.stringify(expected), 'the value');
    same(Object.getPrototypeOf(read), Object.prototype, 'its prototype');
    const exact = readOrRefuse(text, true);
    hold(exact !== null, 'refused, with whole numbers read exactly');
    same(Object.keys(exact).join(), Object.keys(read).join(), 'the names of the exact value');
  },
};

/** Made once, and only where it is asked for. */
let schema: GraphQLSchema | null = null;

/** A document: refused, or within the limits, and the faults of it are few. */
export const graphqlDocument: FuzzTarget = {
  name: 'graphql-document',
  tokens: [
    '{',
    '}',
    '(',
    ')',
    '...',
    'on ',
    'fragment ',
    'query ',
    'mutation ',
    '@skip(if:true)',
    '$a',
    '"""',
    '\\u{',
    'a:',
    'input',
    '#',
  ],
  seeds: [
    '{ balance { credits } }',
    'query ($a: String) { logs(first: 2, after: $a) { nodes { id } pageInfo { hasNextPage } } }',
    'mutation ($i: VerifyOtpInput!) { a: verifyOtp(input: $i) { pinId } }',
    '{ ...f } fragment f on Query { ...g } fragment g on Query { ...f }',
    '{ a: __typename @skip(if: true) __schema { types { name } } }',
  ],
  run: input => {
    const text = input.toString('utf8');
    let document: DocumentNode;
    try {
      document = parseDocument(text);
    } catch (error) {
      hold(error instanceof GraphQLError, `no refusal: ${String(error)}`);
      return;
    }
    for (const definition of document.definitions)
      if (definition.kind === 'OperationDefinition')
        hold(rootFieldsOf(definition).length <= DOCUMENT_LIMITS.rootFields, 'too many fields at the root');
    schema ??= buildSchema();
    const faults = validateDocument(schema, document, undefined);
    hold(faults.length <= 6, `${faults.length} faults`);
    // GraphQL repeats a field that wants a selection.
    const suggests = ({ message }: GraphQLError): boolean => /Did you mean (?!"\w+ \{ \.\.\. \}"\?$)/.test(message);
    hold(!faults.some(suggests), 'a name that is suggested');
  },
};

/** A number: the digits that are kept name the same number again. */
export const phoneNumber: FuzzTarget = {
  name: 'phone-number',
  tokens: ['+', '00', '+49', '+1', '(', ')', '-', ' ', '\xe2\x80\x8b', '\xef\xbc\x8b', '\xd9\xa1', ';ext=', '#'],
  seeds: [
    '+1 (202) 555-0100',
    '0049 30 123456',
    '4915112345678',
    '+44 (0)20 7946 0000',
    '＋８１ ９０ １２３４ ５６７８',
  ],
  run: input => {
    const read = parsePhone(input.toString('utf8'));
    if (read === null) return;
    hold(/^[1-9][0-9]{1,14}$/.test(read.digits), `the digits ${read.digits}`);
    same(parsePhone(read.digits)?.digits, read.digits, 'the digits of the digits');
    same(parsePhone(`+${read.digits}`)?.digits, read.digits, 'the digits behind a plus');
  },
};
