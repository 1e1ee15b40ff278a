import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { BODY, faultOf, OTHER, PAYLOAD, SECRET, setUpSigning, sign } from '../../support/webhooks/signed-deliveries.ts';

setUpSigning();

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
