import { expect, test } from 'vitest';
import { CHANNEL_FACTS } from '../../src/kernel/channel.ts';
import { EVENTS, WEBHOOK_EVENTS } from '../../src/modules/webhooks/events/webhook-events.ts';
import { readSources } from '../support/rules/sources.ts';

test('every event of webhooks is told by a statement, and no two have one name', () => {
  // Statements name events as keys: `events: { 'otp.sent': '…' }`. Those of single channels stand in the table of channels.
  const told = [...readSources()]
    .filter(([path]) => path.startsWith('src/modules/'))
    .flatMap(([, text]) => [...text.matchAll(/'([a-z]+\.[a-z_]+)':/g)].map(([, name]) => name));
  const ofChannels = Object.values(CHANNEL_FACTS).flatMap(({ events }) => Object.values(events ?? {}));
  expect([...new Set([...told, ...ofChannels])].sort()).toEqual([...WEBHOOK_EVENTS].sort());
});

test.each(EVENTS)('the sample of $name has no member that is undefined', ({ sample }) => {
  const data = sample('2026-01-01T00:00:00.000Z');
  expect(data).toStrictEqual(JSON.parse(JSON.stringify(data)));
});
