import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Provider, ProviderDefinition, Receipt, SendOutcome, SendRequest } from '../../src/channels/contract.ts';
import { dispatch } from '../../src/channels/dispatch.ts';
import type { Channel } from '../../src/kernel/channel.ts';
import { newId } from '../../src/kernel/ids.ts';
import { STATUS_RANK, type Status } from '../../src/kernel/status.ts';
import { sendMessage } from '../../src/modules/messaging/send-message.ts';
import { recordReceipts } from '../../src/modules/routing/receipts/record-receipts.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  storedMessage,
  type TestAccount,
  type TestServices,
} from '../support/services.ts';

/** How the provider's other end may treat a message. */
export type Behaviour =
  /** Takes it. */
  | 'accept'
  /** Refuses it for good. */
  | 'reject'
  /** Says "not now" to the first hand-over and takes the second. */
  | 'throttle once'
  /** Takes longer to answer than `SILENCE_DEADLINE_MS`. */
  | 'stay silent'
  /** Breaks off in a way that the adapter does not expect. */
  | 'break';

/** A provider with its other end, as a test can drive them. */
export interface ProviderHarness {
  readonly definition: Pick<ProviderDefinition<unknown, never>, 'id' | 'capabilities' | 'configSchema'>;
  /** A configuration that is complete. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly provider: Provider;
  /** Makes the other end behave so and answers the recipient, in digits, to send to. */
  prepare(behaviour: Behaviour): Promise<string> | string;
  /** What the provider's report of this status is read as, where it has receipts. */
  receipt(providerMessageId: string, status: Receipt['status']): Receipt;
  close?(): Promise<void>;
}

/** The deadline of a call that is not answered in time. */
export const SILENCE_DEADLINE_MS = 50;

const DEADLINE_MS = 5_000;
const TEXT = 'Your code is 314159, tell nobody.';

/** Lets one test see the calls that dispatch makes. */
function watched(provider: Provider) {
  const calls: { readonly signal: AbortSignal; readonly outcome: Promise<SendOutcome> }[] = [];
  const watch: Provider = {
    ...provider,
    send(request, signal) {
      const outcome = provider.send(request, signal);
      calls.push({ signal, outcome });
      return outcome;
    },
  };
  return { provider: watch, calls };
}

/**
 * What every provider must do, whatever its protocol. A new one brings a harness and calls this; what is its own (wire format,
 * error table, signatures of callbacks) it tests beside it.
 */
export function describeProvider(name: string, makeHarness: () => Promise<ProviderHarness> | ProviderHarness): void {
  describe(`the provider ${name}`, () => {
    let harness: ProviderHarness;
    let channel: Channel;

    beforeEach(async () => {
      harness = await makeHarness();
      channel = harness.provider.capabilities.channels[0] ?? 'sms';
      return () => harness.close?.();
    });

    const request = (to: string): Omit<SendRequest, 'tryNumber'> => ({
      attemptId: newId('att'),
      accountId: newId('acc'),
      channel,
      to,
      from: 'ACME',
      text: TEXT,
      template: null,
    });
    const send = async (behaviour: Behaviour, deadlineMs = DEADLINE_MS): Promise<SendOutcome> =>
      dispatch(harness.provider, request(await harness.prepare(behaviour)), deadlineMs);

    test('is what its definition says', () => {
      const { provider, definition } = harness;
      expect(provider.id).toBe(definition.id);
      expect(provider.id).toMatch(/^[a-z][a-z0-9-]*$/);
      expect(provider.capabilities).toEqual(definition.capabilities);
      expect(new Set(provider.capabilities.channels).size).toBe(provider.capabilities.channels.length);
      expect(provider.capabilities.channels.length).toBeGreaterThan(0);
    });

    test('takes a complete configuration', () => {
      expect(harness.definition.configSchema.safeParse(harness.config).success).toBe(true);
    });

    test('refuses a configuration with an unknown key', () => {
      const parsed = harness.definition.configSchema.safeParse({ ...harness.config, surprise: true });
      expect(parsed.success).toBe(false);
    });

    test('answers accepted with its own id of the message', async () => {
      const outcome = await send('accept');
      expect(outcome).toEqual({ kind: 'accepted', providerMessageId: expect.any(String) });
      expect(outcome.kind === 'accepted' && outcome.providerMessageId).toMatch(/^\S{1,255}$/);
    });

    test('sends over each of its channels', async () => {
      for (const way of harness.provider.capabilities.channels) {
        const outcome = await dispatch(
          harness.provider,
          { ...request(await harness.prepare('accept')), channel: way },
          DEADLINE_MS,
        );
        expect([way, outcome.kind]).toEqual([way, 'accepted']);
      }
    });

    test('answers rejected, with a code and a message, for what is refused for good', async () => {
      await expect(send('reject')).resolves.toEqual({
        kind: 'rejected',
        code: expect.stringMatching(/^[a-z0-9_.-]{1,64}$/i),
        message: expect.stringMatching(/\S/),
      });
    });

    test('is handed the message again after throttled, and accepts it', async () => {
      const watch = watched(harness.provider);
      const outcome = await dispatch(watch.provider, request(await harness.prepare('throttle once')), DEADLINE_MS);
      const kinds = await Promise.all(watch.calls.map(async call => (await call.outcome).kind));
      expect(kinds).toEqual(['throttled', 'accepted']);
      expect(outcome.kind).toBe('accepted');
    });

    test('is aborted at the deadline, gives up at once, and the outcome is unknown', async () => {
      const watch = watched(harness.provider);
      const outcome = await dispatch(
        watch.provider,
        request(await harness.prepare('stay silent')),
        SILENCE_DEADLINE_MS,
      );
      expect(outcome).toMatchObject({ kind: 'unknown', code: 'timeout' });
      expect(watch.calls.map(call => call.signal.aborted)).toEqual([true]);
      // Whoever ignores the signal goes on and answers accepted.
      const [result] = await Promise.allSettled(watch.calls.map(call => call.outcome));
      expect(result?.status === 'fulfilled' ? result.value.kind : 'rejected').not.toBe('accepted');
    });

    test('leaves an unknown outcome when it breaks', async () => {
      await expect(send('break')).resolves.toMatchObject({ kind: 'unknown' });
    });

    test('keeps 200 messages at once apart', async () => {
      const to = await harness.prepare('accept');
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, () => dispatch(harness.provider, request(to), DEADLINE_MS)),
      );
      const ids = outcomes.map(outcome => (outcome.kind === 'accepted' ? outcome.providerMessageId : outcome.kind));
      expect(new Set(ids).size).toBe(200);
      expect(ids).not.toContain('unknown');
    });

    test.each<[Behaviour, number]>([
      ['reject', DEADLINE_MS],
      ['throttle once', DEADLINE_MS],
      ['stay silent', SILENCE_DEADLINE_MS],
      ['break', DEADLINE_MS],
    ])('never says what the text or who the recipient was: %s', async (behaviour, deadlineMs) => {
      const watch = watched(harness.provider);
      const to = await harness.prepare(behaviour);
      const outcomes = [await dispatch(watch.provider, request(to), deadlineMs)];
      for (const result of await Promise.allSettled(watch.calls.map(call => call.outcome))) {
        if (result.status === 'fulfilled') outcomes.push(result.value);
      }
      for (const secret of [TEXT, '314159', to]) expect(JSON.stringify(outcomes)).not.toContain(secret);
    });
  });

  describeReceipts(name, makeHarness);
}

function describeReceipts(name: string, makeHarness: () => Promise<ProviderHarness> | ProviderHarness): void {
  describe(`the receipts of ${name}`, () => {
    let harness: ProviderHarness;
    let services: TestServices;
    let account: TestAccount;

    beforeAll(async () => {
      harness = await makeHarness();
      services = await createTestServices({ providers: { of: () => harness.provider } });
      account = await makeAccount(services.services);
    });
    afterAll(async () => {
      await services.close();
      await harness.close?.();
    });

    test('raise the status of a message and never lower it', async context => {
      if (!harness.provider.capabilities.receipts) return context.skip();
      const statuses: Receipt['status'][] = ['sent', 'delivered', 'read', 'failed', 'expired'];
      const property = fc.asyncProperty(
        fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 6 }),
        async reported => {
          const { id, providerMessageId } = await sendOne(harness, services, account);
          let rank: number = STATUS_RANK.sent;
          for (const status of reported) {
            const before = rank;
            const [result] = await recordReceipts(services.ctxFor(OPERATOR), [
              harness.receipt(providerMessageId, status),
            ]);
            const stored = await storedMessage(services, id);
            rank = STATUS_RANK[stored.status as Status];
            expect(rank).toBe(Math.max(before, STATUS_RANK[status]));
            expect(result).toBe(rank > before ? 'raised' : 'ignored');
          }
        },
      );
      await fc.assert(property, { numRuns: 15 });
    });
  });
}

async function sendOne(harness: ProviderHarness, services: TestServices, account: TestAccount) {
  const [channel = 'sms'] = harness.provider.capabilities.channels;
  const message = await sendMessage(services.ctxFor(account.actor('unified')), {
    to: `+${await harness.prepare('accept')}`,
    text: TEXT,
    channels: [channel],
    sender: 'ACME',
    chatFrom: '15550000001',
    cloudTemplate: { name: 'hello', language: 'en' },
  });
  const providerMessageId = message.attempts?.[0]?.providerMessageId;
  if (!providerMessageId) throw new Error(`the provider did not accept the message: ${message.status}`);
  return { id: message.id, providerMessageId };
}
