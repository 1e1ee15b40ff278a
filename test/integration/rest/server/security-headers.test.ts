import { expect, test } from 'vitest';
import { setUpApp } from '../../../support/fixtures.ts';

const on = setUpApp({ env: { PLAYGROUND: 'off' } });

test.each([
  ['GET', '/healthz', 200],
  ['GET', '/metrics', 200],
  ['GET', '/openapi.json', 200],
  ['POST', '/api/omni/send', 401],
  ['DELETE', '/plants', 405],
  ['POST', '/graphql', 415],
  ['GET', '/nothing', 404],
])('%s %s tells a browser that it is data for who asked', async (method, path, status) => {
  const answer = await on.rest(method, path);
  expect([
    answer.status,
    ...['cache-control', 'x-content-type-options', 'referrer-policy'].map(name => answer.headers.get(name)),
  ]).toEqual([status, 'no-store', 'nosniff', 'no-referrer']);
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});

test.each(['/docs', '/assets/nothing.js'])('%s says itself how long it is kept', async path => {
  const { headers } = await on.rest('GET', path);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});

test('without a playground there is nothing at /graphql in a browser', async () => {
  const answer = await on.rest('GET', '/graphql', { headers: { accept: 'text/html' } });
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
});
