import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type {
  Provider,
  ProviderDefinition,
  Receipt,
  Report,
  ReportRequest,
  SendOutcome,
  SendRequest,
} from '../../src/channels/contract.ts';
import { dispatch } from '../../src/channels/dispatch.ts';
import type { Channel } from '../../src/kernel/channel.ts';
import { newId } from '../../src/kernel/ids.ts';
import { STATUS_RANK, type Status } from '../../src/kernel/status.ts';
import { sendMessage } from '../../src/modules/messaging/send-message.ts';
import { recordReceipts } from '../../src/modules/routing/receipts/record-receipts.ts';
import { providersOf } from '../support/app.ts';
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
  readonly definition: Pick<ProviderDefinition<unknown>, 'id' | 'capabilities' | 'configSchema'>;
  /** A configuration that is complete. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The values in it that are secret. */
  readonly secrets: readonly string[];
  readonly provider: Provider;
  /** Makes the other end behave so and answers the recipient, in digits, to send to. */
  prepare(behaviour: Behaviour): Promise<string> | string;
  /** The statuses that it can report; empty: it has no receipts. */
  readonly statuses: readonly Receipt['status'][];
  /** What the provider's report of this status is read as. */
  receipt(providerMessageId: string, status: Receipt['status']): Receipt;
  /** The HTTP request by which it reports so. Absent: it reports in another way. */
  report?(providerMessageId: string, status: Receipt['status']): ReportRequest;
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
      validitySeconds: null,
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

    test('has a configuration that a form can be made of, with its secrets marked', () => {
      const schema = z.toJSONSchema(harness.definition.configSchema, { io: 'input' });
      const open = JSON.stringify(withoutSecrets(schema, harness.config));
      for (const secret of harness.secrets) expect(open).not.toContain(JSON.stringify(secret).slice(1, -1));
      for (const secret of harness.secrets)
        expect(JSON.stringify(harness.config)).toContain(JSON.stringify(secret).slice(1, -1));
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

    test('takes a text that is worth something for a while only', async () => {
      for (const validitySeconds of [1, 300, 86_400]) {
        const soon = { ...request(await harness.prepare('accept')), validitySeconds };
        await expect(dispatch(harness.provider, soon, DEADLINE_MS)).resolves.toMatchObject({ kind: 'accepted' });
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
    ])('never says a secret, what the text or who the recipient was: %s', async (behaviour, deadlineMs) => {
      const watch = watched(harness.provider);
      const to = await harness.prepare(behaviour);
      const outcomes = [await dispatch(watch.provider, request(to), deadlineMs)];
      for (const result of await Promise.allSettled(watch.calls.map(call => call.outcome))) {
        if (result.status === 'fulfilled') outcomes.push(result.value);
      }
      for (const secret of [TEXT, '314159', to, ...harness.secrets])
        expect(JSON.stringify(outcomes)).not.toContain(secret);
    });
  });

  describeReports(name, makeHarness);
  describeReceipts(name, makeHarness);
}

/** A configuration without what its schema calls secret. */
function withoutSecrets(schema: unknown, config: unknown): unknown {
  const { secret, properties, additionalProperties } = Object(schema);
  if (secret === true) return undefined;
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return config;
  const entries = Object.entries(config).map(([name, value]) => {
    const member = Object(properties)[name] ?? additionalProperties;
    return [name, withoutSecrets(member, value)];
  });
  return Object.fromEntries(entries);
}

function describeReports(name: string, makeHarness: () => Promise<ProviderHarness> | ProviderHarness): void {
  describe(`the reports of ${name} by HTTP`, () => {
    let harness: ProviderHarness;
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(() => harness.close?.());

    test('are read alike however often they come', context => {
      const { provider, statuses, report } = harness;
      if (!report) return context.skip('it does not report by HTTP');
      for (const status of statuses) {
        const request = report('id-1', status);
        const expected: Partial<Report> = { providerMessageId: 'id-1', status };
        expect(provider.reportsOf?.(request)).toEqual([expect.objectContaining(expected)]);
        expect(provider.reportsOf?.(request)).toEqual(provider.reportsOf?.(request));
      }
    });

    test('may be anything: they are read, or are nothing, or forged', context => {
      const { provider, statuses, report } = harness;
      const [status] = statuses;
      if (!report || status === undefined) return context.skip('it does not report by HTTP');
      const genuine = report('id-1', status);
      const changed = fc.record({
        method: fc.constantFrom('GET', 'POST'),
        url: fc.webUrl({ withQueryParameters: true }),
        headers: fc.dictionary(
          fc.constantFrom(...Object.keys(genuine.headers), 'authorization', 'content-type'),
          fc.string(),
        ),
        body: fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes)),
      });
      const property = fc.property(
        changed,
        fc.subarray(['method', 'url', 'headers', 'body'] as const),
        (junk, kept) => {
          const request = {
            ...junk,
            ...Object.fromEntries(kept.map(member => [member, genuine[member]])),
          } as ReportRequest;
          const reports = provider.reportsOf?.(request);
          expect(reports === 'forged' || Array.isArray(reports)).toBe(true);
        },
      );
      fc.assert(property, { numRuns: 300 });
    });
  });
}

function describeReceipts(name: string, makeHarness: () => Promise<ProviderHarness> | ProviderHarness): void {
  describe(`the receipts of ${name}`, () => {
    let harness: ProviderHarness;
    let services: TestServices;
    let account: TestAccount;

    beforeAll(async () => {
      harness = await makeHarness();
      services = await createTestServices({ providers: providersOf(harness.provider) });
      account = await makeAccount(services.services);
    });
    afterAll(async () => {
      await services.close();
      await harness.close?.();
    });

    test('raise the status of a message and never lower it', async context => {
      expect(harness.statuses.length > 0).toBe(harness.provider.capabilities.receipts);
      if (harness.statuses.length === 0) return context.skip('it has no receipts');
      const property = fc.asyncProperty(
        fc.array(fc.constantFrom(...harness.statuses), { minLength: 1, maxLength: 6 }),
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
