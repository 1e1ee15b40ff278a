import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReportRequest } from '../../src/channels/contract.ts';
import { assertProperty, runs } from '../support/runner/properties.ts';
import { type MakeHarness, type ProviderHarness, readInbound, readReports, type Written } from './provider-harness.ts';

const written: fc.Arbitrary<Written> = fc.record({
  id: fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
  from: fc.stringMatching(/^[1-9][0-9]{6,14}$/),
  to: fc.stringMatching(/^[1-9][0-9]{3,14}$/),
  text: fc.string({ minLength: 1, maxLength: 160, unit: 'grapheme' }),
});

/** The rules for every provider that brings texts of people: read whole, alike whenever they come, and safe whatever they are. */
export function describeInbound(name: string, makeHarness: MakeHarness): void {
  describe(`what people write by ${name}`, () => {
    let harness: ProviderHarness;
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(() => harness.close?.());

    test('is read whole, and alike however often it comes', context => {
      const { provider, inbound } = harness;
      expect(inbound !== undefined).toBe((provider.inboundOf ?? provider.callbackOf) !== undefined);
      if (!inbound) return context.skip('it does not bring it by HTTP');
      assertProperty(
        fc.property(written, message => {
          const request = inbound(message);
          const [read, ...others] = readInbound(provider, request) ?? [];
          const { id, from, to, text } = message;
          expect(others).toEqual([]);
          expect(read).toMatchObject({ providerMessageId: id, type: 'text', text });
          const digits = typeof read === 'object' ? [read.from, read.to].map(one => one.replace(/^\+/, '')) : [];
          expect(digits).toEqual([from, to]);
          expect(readInbound(provider, request)).toEqual([read]);
        }),
      );
    });

    test('may be anything: it is read, or is nothing, or forged', context => {
      const { provider, inbound } = harness;
      if (!inbound) return context.skip('it does not bring it by HTTP');
      const genuine = inbound({ id: 'id-1', from: '12025550142', to: '15550000001', text: 'Hello' });
      const changed = fc.record({
        method: fc.constantFrom('GET', 'POST'),
        url: fc.webUrl({ withQueryParameters: true }),
        headers: fc.dictionary(fc.constantFrom(...Object.keys(genuine.headers), 'content-type'), fc.string()),
        body: fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes)),
      });
      const members = fc.subarray(['method', 'url', 'headers', 'body'] as const);
      assertProperty(
        fc.property(changed, members, (junk, kept) => {
          const own = Object.fromEntries(kept.map(member => [member, genuine[member]]));
          const read = readInbound(provider, { ...junk, ...own } as ReportRequest);
          expect(read === 'forged' || read === 'unreadable' || Array.isArray(read)).toBe(true);
        }),
        { numRuns: runs(300) },
      );
    });

    test('is no report, and a report is nothing that people write', context => {
      const { provider, inbound, report, statuses } = harness;
      const [status] = statuses;
      if (!inbound || !report || status === undefined) return context.skip('it does not bring it by HTTP');
      expect([[], 'unreadable']).toContainEqual(readInbound(provider, report('id-1', status)));
      const message = inbound({ id: 'id-1', from: '12025550142', to: '15550000001', text: 'Hello' });
      expect(readReports(provider, message)).toEqual([]);
    });
  });
}
