/** A path that a rule of a proxy may name has one form: no other spelling of it is answered. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oncePerFile, setUpApp } from '../../../support/fixtures.ts';
import { headOf, speak } from '../../../support/processes/raw-http.ts';
import { assertProperty, runs } from '../../../support/runner/properties.ts';

const on = setUpApp();
const gateway = oncePerFile(() => on.app.start());

/** Those that are the same with a slash at their end. */
const SLASHED = ['/graphql', '/openapi.json', '/docs'];

const NAMED = ['/metrics', '/healthz', '/readyz', '/graphql', '/openapi.json', '/docs'];

/** The answer to a GET, as it came. */
async function heardOf(target: string): Promise<string> {
  const client = await speak(gateway.url, headOf('GET', target, ['Connection: close']));
  return client.closed();
}

const statusOf = async (target: string): Promise<number> => Number((await heardOf(target)).slice(9, 12));

const escaped = (letter: string): string => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** A letter as somebody may write it who wants a rule not to see it. */
const spelled = (letter: string): fc.Arbitrary<string> =>
  letter === '/'
    ? fc.constantFrom(
        '/',
        '/',
        '/',
        '//',
        '/./',
        '/x/../',
        '/%2e/',
        '/x/%2E%2e/',
        '/x/.%2e/',
        '\\',
        '%2f',
        '%5C',
        '/../',
      )
    : fc.constantFrom(
        letter,
        letter,
        letter,
        letter,
        letter.toUpperCase(),
        escaped(letter),
        escaped(letter).toUpperCase(),
      );

const ends = fc.constantFrom(
  '',
  '',
  '',
  '/',
  '//',
  '/.',
  '/..',
  '/x/..',
  '%2f',
  '%5c',
  '\\',
  '#a',
  '%23',
  ';a=b',
  '%3Ba',
  '%00',
  '%20',
  '/;',
);

/** A spelling of a path, and the path. */
const spelling = fc
  .constantFrom(...NAMED)
  .chain(path =>
    fc
      .tuple(
        fc.constantFrom('', '', '', 'http://gateway.test', 'HTTP://other'),
        fc.tuple(...[...path].map(spelled)),
        ends,
      )
      .map(([origin, letters, end]) => ({ path, origin, target: `${letters.join('')}${end}` })),
  );

test('no other spelling of a path is answered as the path', async () => {
  await assertProperty(
    fc.asyncProperty(spelling, async ({ path, origin, target }) => {
      fc.pre(target !== path && !(SLASHED.includes(path) && target === `${path}/`));
      expect([400, 404]).toContain(await statusOf(`${origin}${target}`));
    }),
    { numRuns: runs(500) },
  );
});

test.each([
  '/metrics/',
  '//metrics',
  '/%6detrics',
  '/%6Detrics',
  '/METRICS',
  '/./metrics',
  '/x/../metrics',
  '/x/%2e%2e/metrics',
  '/x/%2E./metrics',
  '/x\\..\\metrics',
  '/x%2f..%2fmetrics',
  '/metrics;a',
  '/metrics#a',
  '/metrics%00',
  'http://gateway.test//metrics',
  'http://gateway.test\\metrics',
  'http:/metrics',
])('%s shows no metrics', async target => {
  const heard = await heardOf(target);
  expect(heard).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(heard).not.toContain('heliograph_');
});

describe('is answered as ever', () => {
  test.each([
    ...NAMED.filter(path => path !== '/graphql' && path !== '/docs'),
    '/metrics?a=//%6d/../',
    'http://gateway.test/metrics',
  ])('%s', async target => {
    expect(await statusOf(target)).toBe(200);
  });

  // Without a build, the page says so with 503.
  test.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/logs',
    '/dashboard/phones/%2B12025550123',
    '/dashboard/phones/+1?a=%2e',
  ])('the page %s', async target => {
    expect([200, 503]).toContain(await statusOf(target));
  });

  test('an address of receipts, with what only its connection knows', async () => {
    expect(await statusOf('/receipts/con_1/a-b_c~d.e%2B')).toBe(403);
  });

  test('a documented path with a slash at its end', async () => {
    expect(await statusOf('/api/omni/logs/')).toBe(401);
  });
});

test('a path that can be read in two ways is refused by name, in the style of its path, before it is let in', async () => {
  const heard = await heardOf('/graphql/../metrics');
  expect(heard).toMatch(/^HTTP\/1\.1 400 /);
  expect(heard).toContain('"field":"path"');
  expect(heard).toMatch(/\r\nconnection: close\r\n/i);
});
