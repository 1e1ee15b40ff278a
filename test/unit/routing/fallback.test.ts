import { expect, test } from 'vitest';
import { awaitedStatus, fallbackOf } from '../../../src/modules/routing/follow-ups/fallback.policy.ts';

test.each([
  ['chat_qr', 'delivered', true, 'delivered'],
  ['chat_qr', 'read', true, 'read'],
  ['chat_cloud', 'read', true, 'read'],
  // Nobody knows whether an SMS was read.
  ['sms', 'read', true, 'delivered'],
  ['sms', 'delivered', true, 'delivered'],
  // A connection that reports no arrival has done its best by accepting.
  ['sms', 'delivered', false, null],
  ['chat_qr', 'read', false, null],
] as const)(
  '%s that should be %s, with arrivals told %s, is awaited as %s',
  (channel, wanted, tellsArrivals, awaited) => {
    expect(awaitedStatus(channel, wanted, tellsArrivals)).toBe(awaited);
  },
);

const ROUTE = {
  legs: [
    { channel: 'chat_qr', from: '15550000001' },
    { channel: 'sms', from: 'ACME' },
  ],
  deliveryMode: 'fallback',
  segments: 1,
  smartEncoded: false,
} as const;
const OFF = { fallbackAfter: null, successStatus: 'delivered' } as const;
const ON = { fallbackAfter: 60, successStatus: 'read' } as const;
const NONE = { fallbackAfter: null, successStatus: null };

test.each([
  ['neither has a time', {}, OFF, ROUTE, NONE],
  ['the request has one', { fallbackAfter: 30 }, OFF, ROUTE, { fallbackAfter: 30, successStatus: 'delivered' }],
  ['the account has one', {}, ON, ROUTE, ON],
  ['both have one', { fallbackAfter: 30 }, ON, ROUTE, { fallbackAfter: 30, successStatus: 'read' }],
  ['the request names a status alone', { successStatus: 'read' }, OFF, ROUTE, NONE],
  ['all channels go at once', { fallbackAfter: 30 }, ON, { ...ROUTE, deliveryMode: 'all' }, NONE],
  ['one channel is in the route', { fallbackAfter: 30 }, ON, { ...ROUTE, legs: ROUTE.legs.slice(1) }, NONE],
] as const)('the fallback in time where %s', (_when, input, account, route, expected) => {
  expect(fallbackOf(input, account, route)).toEqual(expected);
});
