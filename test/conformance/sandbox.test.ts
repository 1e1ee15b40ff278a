import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { dispatch } from '../../src/channels/dispatch.ts';
import type { SendOutcome } from '../../src/channels/outcome.ts';
import { PROVIDERS } from '../../src/channels/registry.ts';
import { SANDBOX_ID, type SandboxArrival, sandbox } from '../../src/channels/sandbox/provider.ts';
import { CHANNELS, type Channel } from '../../src/kernel/channel.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Behaviour } from './provider-harness.ts';
import { describeProvider } from './provider-suite.ts';

/** A phone that nothing can be kept for. */
const BROKEN = '12025550177';

const RECIPIENTS: Readonly<Record<Behaviour, string>> = {
  accept: '12025550100',
  reject: '12025550104',
  'throttle once': '12025550108',
  'stay silent': '12025550107',
  break: BROKEN,
};

/** The recipients' phones: the other end of the sandbox. */
function makePhones() {
  const arrivals: SandboxArrival[] = [];
  const keepArrival = async (arrival: SandboxArrival) => {
    if (arrival.request.to === BROKEN) throw new Error(`cannot keep ${arrival.request.text} for ${arrival.request.to}`);
    arrivals.push(arrival);
  };
  return { arrivals, provider: sandbox.create({ keepArrival }) };
}

describeProvider('sandbox', () => ({
  definition: { id: SANDBOX_ID, capabilities: makePhones().provider.capabilities, configSchema: z.strictObject({}) },
  config: {},
  secrets: [],
  probing: null,
  statuses: ['sent', 'delivered', 'read', 'failed', 'expired'],
  provider: makePhones().provider,
  prepare: behaviour => RECIPIENTS[behaviour],
  receipt: (providerMessageId, status) => ({
    provider: SANDBOX_ID,
    providerMessageId,
    status,
    errorCode: null,
    errorMessage: null,
  }),
}));

test('nobody connects the sandbox', () => {
  expect(PROVIDERS.map(provider => provider.id)).not.toContain(SANDBOX_ID);
});

interface Row {
  readonly to: string;
  readonly channel: Channel;
  /** The outcome: its kind, and its code where it has one. */
  readonly outcome: string;
  readonly tries: number;
  /** The status that is reported later; null: nothing arrived. */
  readonly later: string | null;
  readonly afterMs: number;
}

const ACCEPTED = { outcome: 'accepted', tries: 1, later: 'delivered', afterMs: 0 } as const;
const NOT_ON_CHAT = { outcome: 'rejected recipient_not_found', tries: 1, later: null, afterMs: 0 } as const;
const SMS_REFUSED = { outcome: 'rejected recipient_refused', tries: 1, later: null, afterMs: 0 } as const;

/** Contract §9, recipient by recipient: what each channel does. */
const TABLE: Readonly<Record<string, Readonly<Record<Channel, Omit<Row, 'to' | 'channel'>>>>> = {
  '12025550100': { chat_qr: ACCEPTED, chat_cloud: ACCEPTED, sms: ACCEPTED },
  '12025550101': { chat_qr: ACCEPTED, chat_cloud: ACCEPTED, sms: SMS_REFUSED },
  '12025550102': { chat_qr: NOT_ON_CHAT, chat_cloud: ACCEPTED, sms: ACCEPTED },
  '12025550103': { chat_qr: NOT_ON_CHAT, chat_cloud: NOT_ON_CHAT, sms: ACCEPTED },
  '12025550104': { chat_qr: NOT_ON_CHAT, chat_cloud: NOT_ON_CHAT, sms: SMS_REFUSED },
  '12025550105': onEach({ ...ACCEPTED, later: 'failed' }),
  '12025550106': onEach({ outcome: 'unknown timeout', tries: 1, later: null, afterMs: 0 }),
  '12025550107': onEach({ ...ACCEPTED, afterMs: 2_000 }),
  '12025550108': onEach({ ...ACCEPTED, tries: 2, afterMs: 250 }),
  '4915112345678': onEach(ACCEPTED),
};

function onEach<T>(row: T): Record<Channel, T> {
  return { chat_qr: row, chat_cloud: row, sms: row };
}

const ROWS = Object.entries(TABLE).flatMap(([to, ways]) =>
  CHANNELS.map((channel): Row => ({ to, channel, ...ways[channel] })),
);

describe('the magic recipients', () => {
  beforeEach(() => {
    vi.useFakeTimers({ fakeNodeBuiltins: true, toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(ROWS)('+$to over $channel: $outcome, later $later', async row => {
    const { provider, arrivals } = makePhones();
    const send = vi.spyOn(provider, 'send');
    const request = requestTo(row.to, row.channel);
    let outcome: SendOutcome | null = null;
    const done = dispatch(provider, request, 10_000).then(value => {
      outcome = value;
    });
    if (row.afterMs > 0) {
      await vi.advanceTimersByTimeAsync(row.afterMs - 1);
      expect(outcome).toBeNull();
      await vi.advanceTimersByTimeAsync(1);
    }
    await done;
    expect(wordsOf(outcome)).toBe(row.outcome);
    expect(send).toHaveBeenCalledTimes(row.tries);
    expect(arrivals.map(({ request: { text, to, channel }, later }) => [text, to, channel, later])).toEqual(
      row.later === null ? [] : [['Hello', row.to, row.channel, row.later]],
    );
  });
});

function requestTo(to: string, channel: Channel = 'sms') {
  return {
    attemptId: newId('att'),
    accountId: newId('acc'),
    channel,
    to,
    from: 'ACME',
    text: 'Hello',
    template: null,
    validitySeconds: null,
  };
}

test('a slow phone gets nothing where its person stops meanwhile', async () => {
  const { provider, arrivals } = makePhones();
  const stopped = { kind: 'rejected', code: 'recipient_suppressed', message: 'They stopped.' } as const;
  const request = { ...requestTo('12025550107'), tryNumber: 1, refuse: () => stopped };
  expect(await provider.send(request, new AbortController().signal)).toEqual(stopped);
  expect(arrivals).toEqual([]);
});

function wordsOf(outcome: SendOutcome | null): string {
  if (outcome === null) return 'none';
  return 'code' in outcome ? `${outcome.kind} ${outcome.code}` : outcome.kind;
}
