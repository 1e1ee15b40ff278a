import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import { verifyWebhook, WebhookVerificationError } from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';
import {
  BODY,
  faultOf,
  NOW,
  only,
  PAYLOAD,
  payloads,
  RUNS,
  refuses,
  SECRET,
  SERVICE,
  STANDARD,
  setUpSigning,
  sign,
} from '../../support/webhooks/signed-deliveries.ts';

setUpSigning();

/** The same bytes but for one bit. */
function flipBit(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}

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
      assertProperty(check, { numRuns: RUNS });
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
      assertProperty(check, { numRuns: runs(1000) });
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
