import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import {
  newWebhookSecret,
  verifyWebhook,
  type WebhookPayload,
  WebhookVerificationError,
  webhookHeaders,
} from '../../../src/kernel/webhook-signature.ts';

const RUNS = 10_000;
const NOW = 1_795_262_400;
const SECRET = newWebhookSecret();
const OTHER = newWebhookSecret();
const SERVICE = ['X-Service-Delivery', 'X-Service-Timestamp', 'X-Service-Signature'] as const;
const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const PAYLOAD: WebhookPayload = {
  id: newId('evt'),
  event: 'message.sent',
  createdAt: '2026-11-21T12:00:00.000000Z',
  accountId: newId('acc'),
  data: { text: 'naïve 👋 \u0000' },
};
const BODY = JSON.stringify(PAYLOAD);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Changes {
  body?: string;
  timestamp?: number;
  current?: string;
  previous?: string | null;
}

/** The headers of one delivery, signed at the present with `SECRET` unless it says otherwise. */
function sign({ body = BODY, timestamp = NOW, current = SECRET, previous = null }: Changes = {}) {
  const signing = { event: PAYLOAD.event, deliveryId: newId('dlv'), timestamp, body };
  return webhookHeaders({ ...signing, secrets: { current, previous } });
}

function only(names: readonly string[], headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, headers[name] ?? '']));
}

/** What the check throws. */
function faultOf(check: () => unknown): Error {
  try {
    check();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was accepted');
}

function refuses(headers: Record<string, string>, body: string | Uint8Array = BODY, secret: string = SECRET): boolean {
  return faultOf(() => verifyWebhook(headers, body, secret)) instanceof WebhookVerificationError;
}

function flipBit(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}

const texts = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constant('\0')),
});
const payloads = fc.record({ text: texts, more: fc.jsonValue() }).map(data => ({ ...PAYLOAD, data }));

describe('newWebhookSecret', () => {
  test('is whsec_ and 32 bytes in base64', () => {
    expect(SECRET).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(SECRET.slice(6), 'base64')).toHaveLength(32);
  });

  test('repeats none of 1,000', () => {
    expect(new Set(Array.from({ length: 1000 }, newWebhookSecret)).size).toBe(1000);
  });
});

describe('webhookHeaders', () => {
  test('are seven, by the names of the contract', () => {
    expect(Object.keys(sign())).toEqual(['X-Service-Event', ...SERVICE, ...STANDARD]);
  });

  test('are those of a delivery whose signatures were computed apart from this code', () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const signing = { event: 'otp.sent', deliveryId: 'dlv_1', timestamp: 1_700_000_000, body: '{"é":"\u0000"}' };
    expect(webhookHeaders({ ...signing, secrets: { current: secret, previous: null } })).toEqual({
      'X-Service-Event': 'otp.sent',
      'X-Service-Delivery': 'dlv_1',
      'X-Service-Timestamp': '1700000000',
      'X-Service-Signature': 'sha256=06ef5df604a0cbc5cb57a46ddd0c7d46b18c77583f326424478ec237fc00d3cc',
      'webhook-id': 'dlv_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': 'v1,LBky58sc0E8BlJjCBA6yvZKKB331vvpajEVC6ZirGbI=',
    });
  });

  test('hold a delivery id without the dot that separates what is signed', () => {
    const ids = Array.from({ length: 1000 }, () => newId('dlv'));
    expect(ids.filter(id => !/^[A-Za-z0-9_-]+$/.test(id))).toEqual([]);
  });
});

describe('every delivery', () => {
  const standard = new StandardWebhook(SECRET);
  const svix = new SvixWebhook(SECRET);

  test('is accepted by standardwebhooks, by svix and by verifyWebhook', () => {
    const check = fc.property(payloads, payload => {
      const body = JSON.stringify(payload);
      const headers = sign({ body });
      const read = JSON.parse(body);
      expect(standard.verify(body, headers)).toEqual(read);
      svix.verify(body, headers); // throws, or says nothing
      expect(verifyWebhook(headers, Buffer.from(body), SECRET)).toEqual(read);
    });
    fc.assert(check, { numRuns: RUNS });
  });

  test('is signed for what it is, also where its body is no JSON', () => {
    const check = fc.property(texts, body => {
      const headers = sign({ body });
      standard.verify(body, headers, { jsonParse: false });
      expect(faultOf(() => verifyWebhook(headers, body, SECRET)).message).toMatch(/^The signature is right, but/);
    });
    fc.assert(check, { numRuns: RUNS });
  });

  test.each(['a', 'é', '👋', '\u0000'])('of 1 MiB of %j is accepted by all of them', unit => {
    const text = unit.repeat(2 ** 20 / Buffer.byteLength(unit));
    const body = JSON.stringify({ ...PAYLOAD, data: { text } });
    const headers = sign({ body });
    expect(standard.verify(body, headers)).toMatchObject({ id: PAYLOAD.id });
    svix.verify(body, headers);
    expect(verifyWebhook(headers, body, SECRET)).toMatchObject({ id: PAYLOAD.id });
  });
});

describe('one changed bit', () => {
  const bits = fc.nat();
  const schemes = fc.constantFrom(SERVICE, STANDARD);

  test('of the body is refused', () => {
    const headers = sign();
    const bytes = Buffer.from(BODY);
    for (let bit = 0; bit < bytes.length * 8; bit++) expect(refuses(headers, flipBit(bytes, bit))).toBe(true);
  });

  test.each([0, 1, 2])(
    'of the id, the timestamp or the signature of a scheme that comes alone is refused (%i)',
    part => {
      const check = fc.property(schemes, payloads, bits, (scheme, payload, at) => {
        const body = JSON.stringify(payload);
        const headers = only(scheme, sign({ body }));
        const name = scheme[part] ?? '';
        const bytes = Buffer.from(headers[name] ?? '', 'latin1');
        const changed = { ...headers, [name]: flipBit(bytes, at % (bytes.length * 8)).toString('latin1') };
        expect(refuses(changed, body)).toBe(true);
      });
      fc.assert(check, { numRuns: RUNS });
    },
  );

  test.each([0, 1])(
    'of the id or the timestamp of one scheme is refused, though the other scheme verifies (%i)',
    part => {
      const check = fc.property(schemes, bits, (scheme, at) => {
        const headers = sign();
        const name = scheme[part] ?? '';
        const bytes = Buffer.from(headers[name] ?? '', 'latin1');
        expect(refuses({ ...headers, [name]: flipBit(bytes, at % (bytes.length * 8)).toString('latin1') })).toBe(true);
      });
      fc.assert(check, { numRuns: 1000 });
    },
  );

  test('of the secret is refused', () => {
    const key = Buffer.from(SECRET.slice(6), 'base64');
    for (let bit = 0; bit < 256; bit++) {
      expect(refuses(sign(), BODY, `whsec_${flipBit(key, bit).toString('base64')}`)).toBe(true);
    }
  });

  test('of the event that the header names is refused', () => {
    expect(refuses({ ...sign(), 'X-Service-Event': 'message.senu' })).toBe(true);
  });
});

describe('verifyWebhook', () => {
  test.each([
    ['X-Service-Signature', SERVICE],
    ['webhook-signature', STANDARD],
  ] as const)('takes a delivery whose proxy left only what belongs to %s', (_name, scheme) => {
    expect(verifyWebhook(only(scheme, sign()), BODY, SECRET)).toEqual(PAYLOAD);
  });

  test.each([
    ['X-Service-Signature', 'sha256=00'],
    ['webhook-signature', 'v2,unknown'],
  ])('takes a delivery whose %s alone says nothing', (name, value) => {
    expect(verifyWebhook({ ...sign(), [name]: value }, BODY, SECRET)).toEqual(PAYLOAD);
  });

  test('finds its signature among those of other versions', () => {
    const headers = only(STANDARD, sign());
    const among = `v1a,c2lnbmF0dXJl v1, ${headers['webhook-signature']}  v2,x`;
    expect(verifyWebhook({ ...headers, 'webhook-signature': among }, BODY, SECRET)).toEqual(PAYLOAD);
  });

  const headers = () => sign();
  const lower = () => Object.fromEntries(Object.entries(headers()).map(([name, value]) => [name.toLowerCase(), value]));
  const upper = () => Object.fromEntries(Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), value]));
  const incoming = (): IncomingHttpHeaders => ({ ...lower(), 'set-cookie': ['a=1', 'b=2'], host: undefined });
  const lists = () => Object.fromEntries(Object.entries(headers()).map(([name, value]) => [name, [value]]));
  test.each([
    ["Node's", incoming],
    ["fetch's", () => new Headers(headers())],
    ['a record in upper case', upper],
    ['a record of lists', lists],
  ])('reads headers of %s', (_kind, make) => {
    expect(verifyWebhook(make(), BODY, SECRET)).toEqual(PAYLOAD);
  });

  test.each([
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['a part of a larger array', new Uint8Array(Buffer.from(`..${BODY}..`)).subarray(2, -2)],
  ])('reads a body that is %s', (_kind, body) => {
    expect(verifyWebhook(sign(), body, SECRET)).toEqual(PAYLOAD);
  });

  test.each([-301, 301])('refuses a timestamp %i s off', off => {
    const fault = faultOf(() => verifyWebhook(sign({ timestamp: NOW + off }), BODY, SECRET));
    expect(fault.message).toMatch(/^The timestamp is 301 s (ahead of|behind) this machine's clock, more than 300 s/);
  });

  test.each([-300, -299, 299, 300])('accepts a timestamp %i s off', off => {
    expect(verifyWebhook(sign({ timestamp: NOW + off }), BODY, SECRET)).toEqual(PAYLOAD);
  });

  test('counts whole seconds, as the timestamp does', () => {
    vi.setSystemTime(NOW * 1000 + 999);
    expect(verifyWebhook(sign({ timestamp: NOW - 300 }), BODY, SECRET)).toEqual(PAYLOAD);
  });

  test('takes another tolerance', () => {
    const late = sign({ timestamp: NOW - 11 });
    expect(verifyWebhook(late, BODY, SECRET, { toleranceSeconds: 11 })).toEqual(PAYLOAD);
    expect(() => verifyWebhook(late, BODY, SECRET, { toleranceSeconds: 10 })).toThrow(WebhookVerificationError);
  });

  test.each(['Infinity', '1e9', '0x10', ' ', 'NaN'])('refuses a signed timestamp that is %j', text => {
    expect(refuses(serviceHeadersAt(text))).toBe(true);
  });
});

/** Headers of the gateway's scheme whose signature is right for a timestamp that the gateway would never send. */
function serviceHeadersAt(timestamp: string): Record<string, string> {
  const deliveryId = newId('dlv');
  const signed = createHmac('sha256', SECRET).update(`${deliveryId}.${timestamp}.${BODY}`).digest('hex');
  return { [SERVICE[0]]: deliveryId, [SERVICE[1]]: timestamp, [SERVICE[2]]: `sha256=${signed}` };
}

describe('in a rotation', () => {
  const during = (body = BODY) => sign({ body, current: SECRET, previous: OTHER });

  test('both secrets sign webhook-signature, the new one first, and X-Service-Signature is of the old one', () => {
    const made = during();
    expect(made['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    expect(verifyWebhook(only(SERVICE, made), BODY, OTHER)).toEqual(PAYLOAD);
    expect(refuses(only(SERVICE, made), BODY, SECRET)).toBe(true);
  });

  test('none of 1,000 deliveries fails for a holder of either secret, or of both', () => {
    const check = fc.property(payloads, payload => {
      const body = JSON.stringify(payload);
      const made = during(body);
      for (const secret of [SECRET, OTHER, [SECRET, OTHER], [OTHER, SECRET]]) {
        expect(verifyWebhook(made, body, secret)).toEqual(JSON.parse(body));
      }
      for (const secret of [SECRET, OTHER]) {
        new StandardWebhook(secret).verify(body, made);
        new SvixWebhook(secret).verify(body, made);
      }
    });
    fc.assert(check, { numRuns: 1000 });
  });

  test('a holder of neither is refused', () => {
    expect(refuses(during(), BODY, newWebhookSecret())).toBe(true);
  });

  test('that is over, the old secret is refused', () => {
    expect(verifyWebhook(sign({ current: SECRET }), BODY, SECRET)).toEqual(PAYLOAD);
    expect(refuses(sign({ current: SECRET }), BODY, OTHER)).toBe(true);
    expect(() => new StandardWebhook(OTHER).verify(BODY, sign({ current: SECRET }))).toThrow();
  });
});

describe('the message of a refusal', () => {
  const { data, ...rest } = PAYLOAD;
  const reordered = JSON.stringify({ data, ...rest });
  const cases: [string, () => unknown, RegExp][] = [
    [
      'no headers',
      () => verifyWebhook({}, BODY, SECRET),
      /^Headers are missing \(X-Service-Delivery, .*webhook-signature\)/,
    ],
    [
      'no signature',
      () => verifyWebhook({ ...sign(), 'X-Service-Signature': undefined, 'webhook-signature': '' }, BODY, SECRET),
      /^Headers are missing \(X-Service-Signature; or webhook-signature\): hand over all headers/,
    ],
    ['another secret', () => verifyWebhook(sign(), BODY, OTHER), /check that the secret is the one of this webhook/],
    [
      'a body stringified again',
      () => verifyWebhook(sign(), reordered, SECRET),
      /not JSON that was parsed and stringified/,
    ],
    ['an old delivery', () => verifyWebhook(sign({ timestamp: 1 }), BODY, SECRET), /the clock must be set/],
    [
      'another id',
      () => verifyWebhook({ ...sign(), 'webhook-id': 'dlv_1' }, BODY, SECRET),
      /X-Service-Delivery and webhook-id/,
    ],
    ['no JSON', () => verifyWebhook(sign({ body: `${BODY},` }), `${BODY},`, SECRET), /hand over the whole body/],
    ['no event', () => verifyWebhook(sign({ body: '{"id":"1"}' }), '{"id":"1"}', SECRET), /not JSON with id, event/],
  ];

  test.each(cases)('of %s names the mend', (_fault, check, message) => {
    const fault = faultOf(check);
    expect(fault).toBeInstanceOf(WebhookVerificationError);
    expect(fault.message).toMatch(message);
  });

  test.each(cases)('of %s repeats neither secret, nor signature, nor body', (_fault, check) => {
    const shown = inspect(faultOf(check), { depth: 5, showHidden: true });
    for (const secret of [SECRET, OTHER]) expect(shown).not.toContain(secret.slice(6, 16));
    expect(shown).not.toMatch(/sha256=|v1,|naïve|evt_/);
  });
});

describe('an argument that cannot be right', () => {
  test.each(['', 'whsec_', SECRET.slice(6), `${SECRET}\n`, ` ${SECRET}`, 'whsec_c2hvcnQ=', SECRET.slice(0, -1)])(
    'is a secret like %j',
    secret => {
      const fault = faultOf(() => verifyWebhook(sign(), BODY, secret));
      expect(fault).toBeInstanceOf(TypeError);
      expect(fault.message).toMatch(/^secret must be the text that was shown/);
      expect(fault.message).not.toContain(SECRET.slice(6, 16));
    },
  );

  test.each([[[]], [[SECRET, '']]])('is a list of secrets like %j', secrets => {
    expect(() => verifyWebhook(sign(), BODY, secrets)).toThrow(TypeError);
  });

  test('is a secret that is not set', () => {
    // @ts-expect-error: what a receiver without types may hand over.
    expect(() => verifyWebhook(sign(), BODY, undefined)).toThrow(/^secret must be/);
  });

  test('is a body that was parsed', () => {
    // @ts-expect-error: what a receiver without types may hand over.
    expect(() => verifyWebhook(sign(), PAYLOAD, SECRET)).toThrow(/^rawBody must be the body as it came/);
  });

  test.each([Number.NaN, -1])('is a tolerance of %d', toleranceSeconds => {
    expect(() => verifyWebhook(sign(), BODY, SECRET, { toleranceSeconds })).toThrow(TypeError);
  });
});
