import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verdictOf } from '../../../src/channels/chat-qr/close.policy.ts';
import { attemptIdOf, messageIdOf } from '../../../src/channels/chat-qr/message-id.ts';
import { PROVIDER_DEADLINE_MS } from '../../../src/channels/dispatch.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { linkStateOf } from '../../../src/modules/chat-sessions/link-state.policy.ts';
import { refusalOf } from '../../../src/modules/chat-sessions/pace/turn-refusal.ts';
import { assertProperty } from '../../support/runner/properties.ts';

describe('a closed socket of a number', () => {
  test.each([
    [401, 'relink', true],
    [411, 'relink', true],
    [403, 'banned', false],
    [440, 'replaced', false],
    [405, 'outdated', false],
  ] as const)('of the code %i ends the session: %s', (code, state, wipes) => {
    expect(verdictOf(code, 1, 0, 0.5)).toEqual({
      kind: 'end',
      state,
      wipes,
      error: expect.stringMatching(/^[A-Z].*\.$/),
    });
  });

  test('of 515 is opened again at once, but only once', () => {
    expect(verdictOf(515, 1, 0, 0.5)).toMatchObject({ kind: 'retry', inMs: 0 });
    expect(verdictOf(515, 2, 0, 0.5)).toMatchObject({ kind: 'retry', inMs: 3_000 });
  });

  test('of 500 is tried once whatever came before it, and is broken after two in a row', () => {
    expect(verdictOf(500, 5, 1, 0.5)).toMatchObject({ kind: 'retry' });
    expect(verdictOf(500, 2, 2, 0.5)).toMatchObject({ kind: 'end', state: 'relink', wipes: false });
  });

  test('is opened again by a draw: numbers do not come back together', () => {
    const waits = [0, 0.5, 1].map(draw => verdictOf(428, 2, 0, draw));
    expect(waits).toMatchObject([{ inMs: 2_000 }, { inMs: 3_000 }, { inMs: 4_000 }]);
  });

  test('of anything else is opened again after 1 s to 5 min, never sooner after more failures', () => {
    const codes = fc
      .oneof(fc.constant(null), fc.integer({ min: 0, max: 999 }))
      .filter(code => code === null || ![401, 403, 405, 411, 440, 500, 515].includes(code));
    assertProperty(
      fc.property(
        codes,
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (code, n, draw) => {
          const [one, next] = [verdictOf(code, n, 0, draw), verdictOf(code, n + 1, 0, draw)];
          if (one.kind !== 'retry' || next.kind !== 'retry') throw new Error('it is tried again');
          expect(one.inMs).toBeGreaterThanOrEqual(1_000);
          expect(next.inMs).toBeGreaterThanOrEqual(one.inMs);
          expect(next.inMs).toBeLessThanOrEqual(300_000);
        },
      ),
    );
  });
});

test('the id of a message names its attempt, and no other id does', () => {
  const attemptId = newId('att');
  expect(messageIdOf(attemptId)).toMatch(/^[0-9A-F]{32}$/);
  expect(attemptIdOf(messageIdOf(attemptId))).toBe(attemptId);
  for (const foreign of ['', '3EB0AA', '3EB0C767D097B7C1C1C1C1', 'x'.repeat(32)])
    expect(attemptIdOf(foreign)).toBeNull();
});

const NOW = new Date('2026-11-26T12:00:00Z');
const OWNED = { leaseUntil: new Date(NOW.getTime() + 1) };
const CLOSED = { isOpen: false, error: null, ...OWNED };

test.each([
  [null, null, 'is not linked'],
  [{ ...CLOSED, state: 'linked' }, null, 'is being opened'],
  [{ ...CLOSED, state: 'linked', error: 'It was closed.' }, null, 'It was closed.'],
  [{ ...CLOSED, state: 'linked' }, 'No library.', 'No library.'],
  [{ ...CLOSED, state: 'banned', error: 'Banned.' }, null, 'Banned.'],
  // Its owner died, and nobody here can open it.
  [{ ...CLOSED, state: 'linked', isOpen: true, leaseUntil: NOW }, 'No library.', 'No library.'],
] as const)('a session that takes no texts says why: %o', (session, fault, why) => {
  expect(linkStateOf(session, fault, NOW)).toEqual({ isUp: false, error: expect.stringContaining(why) });
});

test('a session that is open in any process is up', () => {
  expect(linkStateOf({ ...CLOSED, state: 'linked', isOpen: true }, 'No library here.', NOW)).toEqual({
    isUp: true,
    error: null,
  });
});

test('a number without a turn says until when, and is not asked again within the attempt', () => {
  const until = new Date('2026-11-26T12:00:05Z');
  expect(refusalOf('pace', until)).toEqual({
    kind: 'throttled',
    code: 'throttled',
    message: 'The number sends as much as it may, until 2026-11-26T12:00:05Z.',
    retryAfterMs: PROVIDER_DEADLINE_MS,
  });
  expect(refusalOf('locked', until)).toEqual({
    kind: 'rejected',
    code: 'number_locked',
    message: 'WhatsApp lets this number write to nobody new, until 2026-11-26T12:00Z.',
    isOwn: true,
  });
  expect(refusalOf('capped', null)).toMatchObject({ code: 'number_capped', isOwn: true });
});
