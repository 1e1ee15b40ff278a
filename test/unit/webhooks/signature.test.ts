import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import {
  createWebhookSigner,
  newWebhookSecret,
  verifyWebhook,
} from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';
import {
  BODY,
  faultOf,
  OTHER,
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
  texts,
} from '../../support/webhooks/signed-deliveries.ts';

setUpSigning();

describe('newWebhookSecret', () => {
  test('is whsec_ and 32 bytes in base64', () => {
    expect(SECRET).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(SECRET.slice(6), 'base64')).toHaveLength(32);
  });

  test('repeats none of 1,000', () => {
    expect(new Set(Array.from({ length: 1000 }, newWebhookSecret)).size).toBe(1000);
  });
});

describe('the headers of a delivery', () => {
  test('are seven, by the names of the contract', () => {
    expect(Object.keys(sign())).toEqual(['X-Service-Event', ...SERVICE, ...STANDARD]);
  });

  test('are those of a delivery whose signatures were computed apart from this code', () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const signing = { event: 'otp.sent', deliveryId: 'dlv_1', timestamp: 1_700_000_000, body: '{"é":"\u0000"}' };
    expect(createWebhookSigner({ current: secret, previous: null })(signing)).toEqual({
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
    assertProperty(check, { numRuns: RUNS });
  });

  test('is signed for what it is, also where its body is no JSON', () => {
    const check = fc.property(texts, body => {
      const headers = sign({ body });
      standard.verify(body, headers, { jsonParse: false });
      expect(faultOf(() => verifyWebhook(headers, body, SECRET)).message).toMatch(/^The signature is right, but/);
    });
    assertProperty(check, { numRuns: RUNS });
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
    assertProperty(check, { numRuns: runs(1000) });
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
