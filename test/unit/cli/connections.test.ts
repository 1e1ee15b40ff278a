import { expect, test } from 'vitest';
import { standingOf } from '../../../src/cli/commands/connections/connections.ts';

const REASON = 'The provider took 10 % of its newest texts; 98 % are usual.';
const health = (status: 'up' | 'down' | 'unknown') => ({ status, lastError: null, since: null, nextTryAt: null });

test.each([
  ['up', [], 'up'],
  ['up', [{ country: null, reason: null }], 'up'],
  [
    'up',
    [
      { country: null, reason: REASON },
      { country: 'US', reason: null },
    ],
    'sick',
  ],
  [
    'up',
    [
      { country: null, reason: null },
      { country: 'SE', reason: REASON },
      { country: 'US', reason: REASON },
    ],
    'sick for SE, US',
  ],
  ['down', [{ country: null, reason: REASON }], 'down'],
] as const)('a connection that is %s with the readings %j stands as %s', (status, readings, standing) => {
  expect(standingOf({ health: health(status), readings: [...readings] })).toBe(standing);
});
