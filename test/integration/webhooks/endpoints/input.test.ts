import { describe, expect, test } from 'vitest';
import { createEndpointInput } from '../../../../src/modules/webhooks/endpoints/endpoint.input.ts';
import { URL_ONE } from '../../../support/webhooks/endpoint-fixture.ts';

describe('the input of an endpoint', () => {
  const faults = (input: object): unknown =>
    createEndpointInput
      .safeParse({ url: URL_ONE, events: ['message.sent'], ...input })
      .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const longUrl = (length: number): string => URL_ONE.padEnd(length, 'a');

  test.each([
    ['no URL', { url: 'example.com/hooks' }, /^url: must be a URL, like/],
    ['an empty URL', { url: '' }, /^url: must be a URL, like/],
    ['a fragment', { url: `${URL_ONE}#a` }, /^url: must have no fragment/],
    ['an empty fragment', { url: `${URL_ONE}#` }, /^url: must have no fragment/],
    ['a URL that is too long', { url: longUrl(2_049) }, /^url: must have at most 2048 characters/],
    [
      'one that grows too long',
      { url: `${longUrl(2_000)}${'é'.repeat(20)}` },
      /^url: must have at most 2048 characters/,
    ],
    ['no event', { events: [] }, /^events: must name at least one event/],
    ['an event twice', { events: ['otp.sent', 'otp.sent'] }, /^events: must name each event once/],
    ['an unknown event', { events: ['otp.lost'] }, /^events\.0: must be one of message\.sent, /],
    ['a long description', { description: 'a'.repeat(501) }, /^description: must have at most 500 characters/],
    ['a NUL', { description: 'a\u0000' }, /^description: holds a character that cannot be stored/],
    ['a member too many', { secret: 'whsec_' }, /Unrecognized key/],
  ])('refuses %s', (_what, input, fault) => {
    expect(faults(input)).toEqual([expect.stringMatching(fault)]);
  });

  test.each([
    ['a URL of 2,048 characters', { url: longUrl(2_048) }],
    ['a description of 500 characters', { description: 'a'.repeat(500) }],
    ['an escaped # in the path', { url: `${URL_ONE}/%23a` }],
  ])('takes %s', (_what, input) => {
    expect(faults(input)).toBeUndefined();
  });
});
