import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Provider } from '../../../../src/channels/contract.ts';
import { httpSms } from '../../../../src/channels/http-sms/provider.ts';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import { twilio } from '../../../../src/channels/twilio/provider.ts';
import { vonage } from '../../../../src/channels/vonage/provider.ts';
import { gatewayConfig, gatewayProtocol } from '../../../support/providers/gateway-peer.ts';
import {
  farDeadline,
  type HttpPeer,
  MISDEEDS,
  openPeer,
  type Protocol,
  type Reply,
  requestTo,
  SERVICES,
} from '../../../support/providers/http-peer.ts';
import { TWILIO_ACCOUNT, twilioProtocol } from '../../../support/providers/twilio-peer.ts';
import { VONAGE_ACCOUNT, vonageProtocol } from '../../../support/providers/vonage-peer.ts';
import { assertProperty } from '../../../support/runner/properties.ts';

interface Case {
  readonly name: string;
  readonly protocol: Protocol;
  /** The provider for a peer at this address; its password is `secret` where one is given. */
  create(origin: string, secret?: string): Provider;
  /** How it is worded that these words are the reason why the message was refused. */
  refusal(words: string, status: number): Reply;
}

const CASES: readonly Case[] = [
  {
    name: 'http-sms',
    protocol: gatewayProtocol,
    create: (origin, secret) => httpSms.create(httpSms.configSchema.parse(gatewayConfig(origin, secret)), SERVICES),
    refusal: (words, status) => ({ status, body: words }),
  },
  {
    name: 'twilio',
    protocol: twilioProtocol,
    create: (origin, secret = TWILIO_ACCOUNT.authToken) =>
      twilio.create({ ...TWILIO_ACCOUNT, authToken: secret, baseUrl: origin }, SERVICES),
    refusal: (words, status) => ({ status, body: JSON.stringify({ code: 21211, message: words, status }) }),
  },
  {
    name: 'vonage',
    protocol: vonageProtocol,
    create: (origin, secret = VONAGE_ACCOUNT.apiSecret) =>
      vonage.create({ ...VONAGE_ACCOUNT, apiSecret: secret, baseUrl: origin }, SERVICES),
    refusal: words => ({ status: 200, body: JSON.stringify({ messages: [{ status: '6', 'error-text': words }] }) }),
  },
];

function open(provider: Provider): Provider {
  onTestFinished(() => provider.close?.());
  return provider;
}

describe.each(CASES)('$name', ({ protocol, create, refusal }) => {
  async function openBoth(): Promise<{ peer: HttpPeer; provider: Provider }> {
    const peer = await openPeer(protocol);
    return { peer, provider: open(create(peer.origin)) };
  }

  test.each([
    ['breaks off', 'unknown connection_broken'],
    ['breaks off in its answer', 'unknown connection_broken'],
    ['never stops talking', 'unknown answer_too_long'],
  ] as const)('of a provider that %s', async (misdeed, expected) => {
    const { peer, provider } = await openBoth();
    peer.say(MISDEEDS[misdeed]);
    expect(wordOf(await provider.send(requestTo('12025550100'), farDeadline()))).toBe(expected);
    expect(peer.received).toHaveLength(1);
  });

  test.each(['stays silent', 'drips'] as const)('of a provider that %s', async misdeed => {
    const { peer, provider } = await openBoth();
    const deadline = new AbortController();
    peer.say(response => {
      MISDEEDS[misdeed](response);
      deadline.abort();
    });
    expect(wordOf(await provider.send(requestTo('12025550100'), deadline.signal))).toBe('unknown timeout');
  });

  test('of a provider that is not there', async () => {
    const { peer, provider } = await openBoth();
    await provider.send(requestTo('12025550100'), farDeadline());
    const gone = open(create(peer.origin.replace(/:\d+$/, ':1')));
    expect(wordOf(await gone.send(requestTo('12025550100'), farDeadline()))).toBe('unavailable connection_failed');
  });

  test('of a redirect: the address of the connection is wrong, and nothing goes elsewhere', async () => {
    const { peer, provider } = await openBoth();
    const elsewhere = await openPeer(protocol);
    peer.say({ status: 307, headers: { location: elsewhere.origin } });
    const outcome = await provider.send(requestTo('12025550100'), farDeadline());
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'http_307', isOwn: true });
    expect(elsewhere.received).toEqual([]);
  });

  test('of 503: not taken', async () => {
    const { peer, provider } = await openBoth();
    peer.say({ status: 503 });
    expect(wordOf(await provider.send(requestTo('12025550100'), farDeadline()))).toBe('unavailable http_503');
  });

  test('of 429: throttled, for as long as it says', async () => {
    const { peer, provider } = await openBoth();
    peer.say({ status: 429, headers: { 'retry-after': '7' }, body: '{}' });
    const outcome = await provider.send(requestTo('12025550100'), farDeadline());
    expect(outcome).toMatchObject({ kind: 'throttled', retryAfterMs: 7_000 });
  });

  test('sends nothing to a person who has stopped when its connection stands', async () => {
    const { peer, provider } = await openBoth();
    const refuse = () => ({ kind: 'rejected', code: 'recipient_suppressed', message: '' }) as const;
    const outcome = await provider.send({ ...requestTo('12025550100'), refuse }, farDeadline());
    expect(wordOf(outcome)).toBe('rejected recipient_suppressed');
    // By the same connection: what was written before it has come.
    await provider.send(requestTo('12025550101'), farDeadline());
    expect(peer.received).toHaveLength(1);
  });

  test('says who it is', async () => {
    const { peer, provider } = await openBoth();
    await provider.send(requestTo('12025550100'), farDeadline());
    expect(peer.received[0]?.headers['user-agent']).toBe(SERVICES.userAgent);
  });

  test('never tells a secret, the text or the recipient, however the provider repeats them', async () => {
    const peer = await openPeer(protocol);
    const hidden = fc.string({ unit: fc.constantFrom(...'aZ09 %&+=?/#"<>\\\'{}$^*().'), minLength: 8, maxLength: 24 });
    const property = fc.asyncProperty(
      hidden.filter(secret => secret.trim() === secret && !secret.includes('  ')),
      fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter(text => text.trim().length >= 8),
      fc.array(fc.constantFrom(...ENCODINGS), { minLength: 3, maxLength: 3 }),
      fc.constantFrom(400, 401, 403, 404, 422, 429, 500, 503),
      async (secret, text, [forSecret = String, forText = String, forTo = String], status) => {
        const provider = create(peer.origin, secret);
        const request = requestTo('4915112345678', { text });
        const words = `No: ${forSecret(secret)} may not send ${forText(text)} to ${forTo(request.to)} at all`;
        peer.say(refusal(words, status));
        const outcome = JSON.stringify(await provider.send(request, farDeadline()));
        await provider.close?.();
        for (const one of [secret, text, request.to]) {
          for (const encode of ENCODINGS) expect(outcome).not.toContain(JSON.stringify(encode(one)).slice(1, -1));
        }
      },
    );
    await assertProperty(property);
  });
});

/** How servers repeat what they were given. */
const ENCODINGS: readonly ((text: string) => string)[] = [
  text => text,
  encodeURIComponent,
  text => new URLSearchParams([['', text]]).toString().slice(1),
  text => JSON.stringify(text).slice(1, -1),
  text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  text => Buffer.from(text).toString('base64'),
];

function wordOf(outcome: SendOutcome): string {
  return 'code' in outcome ? `${outcome.kind} ${outcome.code}` : outcome.kind;
}
