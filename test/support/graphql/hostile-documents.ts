/** GraphQL requests that are made to be dear: for the tests that refuse them, and for the bench that times the refusal. */

/** One hostile request to `POST /graphql`. */
export interface HostileRequest {
  readonly name: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Beside `content-type: application/json`, or in place of it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is only as large as is allowed, and answered. */
  readonly isAnswered?: boolean;
}

const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

const fragmentsOf = (levels: number, leaf: string, on = 'Account'): string =>
  `${times(levels, level => `fragment F${level} on ${on} { ...F${level + 1} ...F${level + 1} }`)} fragment F${levels} on ${on} { ${leaf} }`;

const plant = (id: string) => `mutation { createPlant(input: { id: ${id}, name: "a" }) { id } }`;

const ENTRIES = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value);

/** Documents, with their variables. */
const DOCUMENTS: Record<
  string,
  { readonly query: string; readonly variables?: unknown; readonly isAnswered?: boolean }
> = {
  '20,000 times one field': { query: `{ account { ${'id '.repeat(20_000)} } }` },
  '20,000 times one field at the root': { query: `{${'__typename '.repeat(5_900)}}` },
  'one field as often as tokens allow': { query: `{ account { ${'id '.repeat(990)} } }` },
  '10,000 directives': { query: `{ account ${'@a '.repeat(10_000)}{ id } }` },
  'directives as many as tokens allow': { query: `{ account { id ${'@skip(if: false) '.repeat(160)} } }` },
  'fields 20,000 deep': { query: '{a'.repeat(20_000) },
  'fields as deep as tokens allow': { query: `${'{a'.repeat(330)}${'}'.repeat(330)}` },
  '5,000 aliases': { query: `{ account { ${times(5_000, index => `a${index}: id`)} } }` },
  'aliases as many as tokens allow': { query: `{ account { ${times(320, index => `a${index}: id`)} } }` },
  'fragments that spread to 2^26 fields at the root': { query: `{ ...F0 } ${fragmentsOf(26, '__typename', 'Query')}` },
  'fragments that spread to 2^26 aliases': { query: `{ account { ...F0 } } ${fragmentsOf(26, 'a: id')}` },
  'fragments that spread to 2^90 directives': {
    query: `{ account { ...F0 } } ${fragmentsOf(90, 'id @skip(if: false)')}`,
  },
  'fragments that spread to 2^90 times one field': {
    query: `{ account { ...F0 } } ${fragmentsOf(90, 'id')}`,
    isAnswered: true,
  },
  'fragments in a circle': {
    query: '{ account { ...A } } fragment A on Account { ...B } fragment B on Account { ...A }',
  },
  'a hundred fragments in a circle': {
    query: `{ account { ...F0 } } ${times(100, index => `fragment F${index} on Account { id ...F${(index + 1) % 100} }`)}`,
  },
  'a fragment of itself': { query: '{ account { ...A } } fragment A on Account { ...A }' },
  '150 fragments that nobody spreads': {
    query: `{ account { id } } ${times(110, index => `fragment F${index} on Account { id }`)}`,
  },
  'fields that overlap in pairs': {
    query: `{ ${times(9, () => `account { ${times(30, index => `... on Account { a: ${index % 2 ? 'id' : 'name'} }`)} }`)} }`,
  },
  'fields that overlap through fragments': {
    query: `{ account { ${times(40, index => `...F${index}`)} } } ${times(40, index => `fragment F${index} on Account { ${times(40, other => (other === index ? 'id' : 'name')).slice(0, 20)} }`)}`,
  },
  '120 operations': { query: times(120, index => `query Q${index} { account { id } }`) },
  '240 variables that nobody uses': { query: `query (${times(240, index => `$a${index}: Int`)}) { account { id } }` },
  'a variable of a type 480 lists deep': {
    query: `query ($a: ${'['.repeat(480)}Int${']'.repeat(480)}) { account { id } }`,
  },
  'a value 480 lists deep': { query: `{ logs(first: ${'['.repeat(480)}${']'.repeat(480)}) { nodes { id } } }` },
  'a value 320 objects deep': { query: `{ logs(filter: ${'{to:'.repeat(320)}1${'}'.repeat(320)}) { nodes { id } } }` },
  '300 arguments that do not exist': { query: `{ account(${times(300, index => `a${index}: 1`)}) { id } }` },
  '450 fields that do not exist': { query: `{ account { ${times(450, index => `acount${index}`)} } }` },
  'a number of 60,000 digits': { query: `{ logs(first: ${'9'.repeat(60_000)}) { nodes { id } } }` },
  'a BigInt of 60,000 digits': { query: plant('9'.repeat(60_000)) },
  'a BigInt of 60,000 digits in a text': { query: plant(`"${'9'.repeat(60_000)}"`) },
  'a float of 60,000 digits': { query: `{ logs(first: 0.${'9'.repeat(60_000)}) { nodes { id } } }` },
  'a name of 60,000 characters': { query: `{ ${'a'.repeat(60_000)} }` },
  'a text of 60,000 characters': { query: `{ message(id: "${'a'.repeat(60_000)}") { id } }`, isAnswered: true },
  'a block text of 20,000 lines': { query: `{ message(id: """${' \\n'.repeat(100)}${'a'.repeat(40_000)}"""` },
  'a text that never ends': { query: `{ message(id: "${'\\\\"'.repeat(15_000)}` },
  'a comment of 60,000 characters': { query: `#${'a'.repeat(60_000)}\n{ nothing }` },
  '60,000 commas': { query: `{ nothing ${','.repeat(60_000)} }` },
  '30,000 entries in a variable': {
    query: 'query ($t: [LogType!]) { logs(filter: { types: $t }) { nodes { id } } }',
    variables: { t: ENTRIES(12_000, 'NO') },
  },
  '30,000 entries of no type in a variable': {
    query: 'query ($t: [LogType!]) { logs(filter: { types: $t }) { nodes { id } } }',
    variables: { t: ENTRIES(30_000, 1) },
  },
  '6,000 members that do not exist in a variable': {
    query: 'query ($f: LogFilter) { logs(filter: $f) { nodes { id } } }',
    variables: { f: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`a${index}`, 1])) },
  },
  'variables named as members of every object': {
    query: 'query ($f: LogFilter) { logs(filter: $f) { nodes { id } } }',
    variables: JSON.parse(
      '{"f": {"__proto__": {"to": 1}, "constructor": {"prototype": 1}}, "__proto__": 1, "toString": 1}',
    ),
  },
  'fields named as members of every object': {
    query: '{ __proto__ constructor { prototype } toString hasOwnProperty }',
  },
  'fragments named as members of every object': {
    query: '{ ...__proto__ ...toString } fragment constructor on Query { __typename }',
  },
  'the schema in circles': {
    query: `{ __schema { ${'types { fields { type { '.repeat(20)}name${' } } }'.repeat(20)} } }`,
  },
};

const RAW: readonly HostileRequest[] = [
  {
    name: 'a text of a megabyte',
    body: JSON.stringify({ query: `{ message(id: "${'a'.repeat(1_000_000)}") { id } }` }),
  },
  { name: 'JSON 60,000 lists deep', body: `{"query":"{ a }","variables":${'['.repeat(60_000)}` },
  { name: 'JSON 30,000 objects deep', body: `{"query":"{ a }","variables":${'{"":'.repeat(15_000)}` },
  { name: 'JSON of 30,000 escapes', body: `{"query":"${'\\u0000'.repeat(10_000)}"}` },
  { name: 'JSON that is cut off', body: '{"query":"{ account { id' },
  { name: 'no JSON', body: '<graphql/>' },
  { name: 'nothing', body: '' },
  { name: 'a list of requests', body: JSON.stringify(ENTRIES(500, { query: '{ account { id } }' })) },
  { name: 'a list of one request', body: JSON.stringify([{ query: '{ account { id } }' }]) },
  { name: 'a number', body: '1e400' },
  {
    name: 'bytes that are no UTF-8',
    body: new Uint8Array([...Buffer.from('{"query":"'), 0xff, 0xfe, 0xc0, 0x80, ...Buffer.from('"}')]),
  },
  { name: 'half of a character', body: '{"query":"{ account { id } } #\\ud800"}' },
  { name: 'UTF-16', body: new Uint8Array(Buffer.from('{"query":"{ account { id } }"}', 'utf16le')) },
  ...['utf-16', 'utf-7', 'iso-8859-1', 'x-unknown', 'utf-8; charset=utf-16'].map(charset => ({
    name: `the charset ${charset}`,
    body: '{"query":"{ account { id } }"}',
    headers: { 'content-type': `application/json; charset=${charset}` },
  })),
  ...['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x-unknown'].map(encoding => ({
    name: `the content encoding ${encoding}`,
    body: new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
    headers: { 'content-encoding': encoding },
  })),
];

/** All of them. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...Object.entries(DOCUMENTS).map(([name, { query, variables, isAnswered }]) => ({
    name,
    body: JSON.stringify({ query, variables }),
    isAnswered: isAnswered ?? false,
  })),
  ...RAW,
];
