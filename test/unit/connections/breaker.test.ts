import { beforeEach, describe, expect, test } from 'vitest';
import { Breaker, type BreakerState } from '../../../src/modules/connections/live/breaker.ts';

let nowMs = 0;
let told: BreakerState[] = [];
let breaker: Breaker;

beforeEach(() => {
  nowMs = 1_000_000;
  told = [];
  breaker = new Breaker(
    state => told.push(state),
    () => nowMs,
  );
});

const FAILED = { kind: 'unavailable', message: 'Nobody is there.' } as const;
const TAKEN = { kind: 'accepted' } as const;

/** So many calls, which end so. */
function calls(count: number, outcome: Parameters<Breaker['note']>[1]): void {
  for (let call = 0; call < count; call++) {
    const pass = breaker.enter();
    expect(pass).not.toBeNull();
    if (pass) breaker.note(pass, outcome);
  }
}

describe('a breaker', () => {
  test('says nothing before the first call, and that it is up after one that was taken', () => {
    expect(breaker.state.status).toBe('unknown');
    calls(2, TAKEN);
    expect(told).toEqual([{ status: 'up', error: null }]);
  });

  test('is down after the first call that anybody made, where it failed, and up after one that was taken', () => {
    breaker = new Breaker(state => told.push(state), undefined, { isUnused: true });
    calls(2, FAILED);
    expect([told, breaker.isOpen]).toEqual([[{ status: 'down', error: FAILED.message }], false]);
    calls(1, TAKEN);
    calls(1, FAILED);
    expect(told.slice(1)).toEqual([{ status: 'up', error: null }]);
  });

  test.each(['unavailable', 'unknown'] as const)('opens when half of ten calls were %s', kind => {
    calls(5, TAKEN);
    calls(4, { kind, message: 'No answer.' });
    expect(breaker.isOpen).toBe(false);
    calls(1, { kind, message: 'No answer.' });
    expect(breaker.enter()).toBeNull();
    expect(told.at(-1)).toEqual({ status: 'down', error: 'No answer.' });
  });

  test('does not open for nine calls, however they ended', () => {
    calls(9, FAILED);
    expect(breaker.isOpen).toBe(false);
    expect(told).toEqual([]);
  });

  test.each(['rejected', 'throttled'] as const)('does not open for what was %s: somebody answered', kind => {
    calls(50, { kind });
    expect(breaker.isOpen).toBe(false);
  });

  test('forgets calls after 30 s', () => {
    calls(9, FAILED);
    nowMs += 30_001;
    calls(9, FAILED);
    expect(breaker.isOpen).toBe(false);
    calls(1, FAILED);
    expect(breaker.isOpen).toBe(true);
  });

  test('counts a try by hand as one call', () => {
    breaker.note('try', FAILED);
    expect(breaker.isOpen).toBe(false);
    calls(8, FAILED);
    breaker.note('try', TAKEN);
    expect(breaker.isOpen).toBe(true);
  });

  describe('that is open', () => {
    beforeEach(() => calls(10, FAILED));

    test('closes by a try by hand that is taken, and leaves the probe to come by one that failed', () => {
      nowMs += 30_000;
      expect(breaker.enter()).toBe('probe');
      breaker.note('try', FAILED);
      expect(breaker.enter()).toBeNull();
      breaker.note('try', TAKEN);
      expect(breaker.enter()).toBe('call');
    });

    test('lets nothing through for 30 s, then one probe', () => {
      nowMs += 29_999;
      expect(breaker.enter()).toBeNull();
      nowMs += 1;
      expect(breaker.isOpen).toBe(false);
      expect(breaker.enter()).not.toBeNull();
      expect(breaker.enter()).toBeNull();
    });

    test('closes when the probe is taken', () => {
      nowMs += 30_000;
      calls(1, TAKEN);
      expect(breaker.enter()).not.toBeNull();
      expect(told.map(({ status }) => status)).toEqual(['down', 'up']);
    });

    test('stays open for another 30 s when the probe fails', () => {
      nowMs += 30_000;
      calls(1, FAILED);
      nowMs += 29_999;
      expect(breaker.enter()).toBeNull();
      nowMs += 1;
      expect(breaker.enter()).not.toBeNull();
      expect(told.map(({ status }) => status)).toEqual(['down']);
    });

    test('counts from nothing after it closed', () => {
      nowMs += 30_000;
      calls(1, TAKEN);
      calls(9, FAILED);
      expect(breaker.isOpen).toBe(false);
      calls(1, FAILED);
      expect(breaker.isOpen).toBe(true);
    });

    test('says in how long the probe goes, and nothing of it while it is under way or when it is closed', () => {
      expect(breaker.retryInMs).toBe(30_000);
      nowMs += 20_000;
      expect(breaker.retryInMs).toBe(10_000);
      nowMs += 20_000;
      expect(breaker.retryInMs).toBe(0);
      breaker.enter();
      expect(breaker.retryInMs).toBeNull();
      breaker.note('probe', TAKEN);
      expect(breaker.retryInMs).toBeNull();
    });

    test('takes calls that were under way when it opened for no probe', () => {
      breaker.note('call', TAKEN);
      expect(breaker.enter()).toBeNull();
    });
  });

  describe('of a standing connection', () => {
    test('is open at once while it is not bound, and closed when it is', () => {
      breaker.noteLink({ isUp: false, error: 'the bind was refused' });
      expect(breaker.enter()).toBeNull();
      expect(told).toEqual([{ status: 'down', error: 'the bind was refused' }]);
      breaker.noteLink({ isUp: true, error: null });
      expect(breaker.enter()).not.toBeNull();
      expect(told.at(-1)).toEqual({ status: 'up', error: null });
    });

    test('is told of anew when it is down for another reason', () => {
      for (const error of ['not linked', 'not linked', 'banned']) breaker.noteLink({ isUp: false, error });
      expect(told.map(({ error }) => error)).toEqual(['not linked', 'banned']);
    });

    test('says in how long it is bound again, where it is known', () => {
      breaker.noteLink({ isUp: false, error: 'closed', retriesAtMs: nowMs + 4_000 });
      expect(breaker.retryInMs).toBe(4_000);
      breaker.noteLink({ isUp: false, error: 'closed' });
      expect(breaker.retryInMs).toBeNull();
    });

    test('forgets what failed before it was bound anew', () => {
      calls(10, FAILED);
      breaker.noteLink({ isUp: false, error: 'closed' });
      breaker.noteLink({ isUp: true, error: null });
      expect(breaker.enter()).not.toBeNull();
    });
  });
});
