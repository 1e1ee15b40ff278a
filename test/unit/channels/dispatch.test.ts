import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Provider, SendRequest } from '../../../src/channels/contract.ts';
import { dispatch, PROVIDER_DEADLINE_MS } from '../../../src/channels/dispatch.ts';
import { failure, type SendOutcome } from '../../../src/channels/outcome.ts';

const REQUEST: Omit<SendRequest, 'tryNumber'> = {
  attemptId: 'att_0199a0b1c2d37e4f8a0b1c2d3e4f5a6b',
  accountId: 'acc_0199a0b1c2d37e4f8a0b1c2d3e4f5a6b',
  channel: 'sms',
  to: '12025550100',
  from: 'ACME',
  text: 'a text that must not come back',
  template: null,
  validitySeconds: null,
};
const ACCEPTED: SendOutcome = { kind: 'accepted', providerMessageId: 'p-1' };
const throttled = (retryAfterMs: number): SendOutcome => ({
  kind: 'throttled',
  code: 'throttled',
  message: 'Too many messages at once.',
  retryAfterMs,
});

interface Call {
  readonly request: SendRequest;
  readonly signal: AbortSignal;
}

/** A provider that answers each try as the script says. */
function scripted(answer: (call: Call) => Promise<SendOutcome> | SendOutcome): Provider & { readonly calls: Call[] } {
  const calls: Call[] = [];
  return {
    id: 'scripted',
    capabilities: { channels: ['sms'], receipts: 'none' },
    calls,
    send: async (request, signal) => {
      const call = { request, signal };
      calls.push(call);
      return answer(call);
    },
  };
}

const never = () => new Promise<SendOutcome>(() => undefined);

describe('dispatch', () => {
  beforeEach(() => {
    vi.useFakeTimers({ fakeNodeBuiltins: true, toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each<SendOutcome>([
    ACCEPTED,
    { kind: 'rejected', code: 'refused', message: 'No.' },
    { kind: 'unavailable', code: 'down', message: 'Not now.' },
    { kind: 'unknown', code: 'broken', message: 'Perhaps.' },
  ])('answers the outcome $kind after one try', async outcome => {
    const provider = scripted(() => outcome);
    await expect(dispatch(provider, REQUEST, 1_000)).resolves.toEqual(outcome);
    expect(provider.calls.map(call => call.request)).toEqual([{ ...REQUEST, tryNumber: 1 }]);
  });

  test('leaves no timer behind', async () => {
    await dispatch(
      scripted(() => ACCEPTED),
      REQUEST,
      1_000,
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  test('answers unknown at the deadline and aborts the call', async () => {
    const provider = scripted(never);
    const outcome = dispatch(provider, REQUEST, 1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(provider.calls[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', code: 'timeout' });
    expect(provider.calls[0]?.signal.aborted).toBe(true);
  });

  test('never waits longer than the deadline of one provider call', async () => {
    const outcome = dispatch(scripted(never), REQUEST, PROVIDER_DEADLINE_MS * 10);
    await vi.advanceTimersByTimeAsync(PROVIDER_DEADLINE_MS);
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', code: 'timeout' });
  });

  test('answers unknown even if the provider answers after the deadline', async () => {
    const late = Promise.withResolvers<SendOutcome>();
    const outcome = dispatch(
      scripted(() => late.promise),
      REQUEST,
      1_000,
    );
    await vi.advanceTimersByTimeAsync(1_000);
    late.resolve(ACCEPTED);
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', code: 'timeout' });
  });

  test.each([
    ['that it has the text', ACCEPTED],
    ['that nothing has left', failure('unavailable', 'connection_failed')],
  ])('takes what a provider answers to the deadline: %s', async (_what, answer) => {
    const provider = scripted(
      ({ signal }) =>
        new Promise(resolve => {
          signal.addEventListener('abort', () => resolve(answer));
        }),
    );
    const outcome = dispatch(provider, REQUEST, 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(outcome).resolves.toEqual(answer);
  });

  test('ignores a provider that throws when it is aborted', async () => {
    const provider = scripted(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const outcome = dispatch(provider, REQUEST, 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', code: 'timeout' });
  });

  test('answers unknown if there is no time left', async () => {
    const outcome = dispatch(scripted(never), REQUEST, -5);
    await vi.advanceTimersByTimeAsync(1);
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', code: 'timeout' });
  });

  test('tries again after throttled, with a higher number, when the provider says', async () => {
    const provider = scripted(({ request }) => (request.tryNumber === 1 ? throttled(250) : ACCEPTED));
    const outcome = dispatch(provider, REQUEST, 1_000);
    await vi.advanceTimersByTimeAsync(249);
    expect(provider.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(outcome).resolves.toEqual(ACCEPTED);
    expect(provider.calls.map(call => call.request.tryNumber)).toEqual([1, 2]);
  });

  test('does not try again what was refused meanwhile', async () => {
    const provider = scripted(() => throttled(50));
    const refused = { kind: 'rejected', code: 'recipient_suppressed', message: 'No more.' } as const;
    const outcome = dispatch(provider, { ...REQUEST, refuse: () => refused }, 1_000);
    await vi.advanceTimersByTimeAsync(50);
    await expect(outcome).resolves.toEqual(refused);
    expect(provider.calls).toHaveLength(1);
  });

  test('gives up after three tries', async () => {
    const provider = scripted(() => throttled(10));
    const outcome = dispatch(provider, REQUEST, 1_000);
    await vi.advanceTimersByTimeAsync(20);
    await expect(outcome).resolves.toEqual(throttled(10));
    expect(provider.calls).toHaveLength(3);
  });

  test('does not wait for a try that would come after the deadline', async () => {
    const provider = scripted(() => throttled(1_000));
    await expect(dispatch(provider, REQUEST, 1_000)).resolves.toEqual(throttled(1_000));
    expect(provider.calls).toHaveLength(1);
  });

  test('counts the waiting against the deadline', async () => {
    const provider = scripted(({ request }) => (request.tryNumber === 1 ? throttled(600) : never()));
    const outcome = dispatch(provider, REQUEST, 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(outcome).resolves.toMatchObject({ kind: 'unknown', code: 'timeout' });
  });

  test.each([
    ['rejects', (): Promise<SendOutcome> => Promise.reject(new Error(`socket hang up: ${REQUEST.text}`))],
    [
      'throws before it awaits anything',
      (): Promise<SendOutcome> => {
        throw new Error(`no socket: ${REQUEST.text}`);
      },
    ],
  ])('answers unknown, and not its message, for a provider that %s', async (_, send) => {
    const provider: Provider = { id: 'scripted', capabilities: { channels: ['sms'], receipts: 'none' }, send };
    const outcome = await dispatch(provider, REQUEST, 1_000);
    expect(outcome).toMatchObject({ kind: 'unknown', code: 'provider_error' });
    expect(JSON.stringify(outcome)).not.toContain(REQUEST.text);
    expect(vi.getTimerCount()).toBe(0);
  });
});
