import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report, ReportRequest } from '../../src/channels/contract.ts';
import { STATUS_RANK, type Status } from '../../src/kernel/status.ts';
import { sendMessage } from '../../src/modules/messaging/send-message.ts';
import { recordReceipts } from '../../src/modules/routing/receipts/record-receipts.ts';
import { providersOf } from '../support/app.ts';
import { assertProperty, runs } from '../support/runner/properties.ts';
import { rounds } from '../support/runner/rounds.ts';
import {
  createTestServices,
  makeAccount,
  OPERATOR,
  storedMessage,
  type TestAccount,
  type TestServices,
} from '../support/services.ts';
import { type MakeHarness, type ProviderHarness, readReports } from './provider-harness.ts';

/** The rules for every provider's reports: read alike whenever they come, safe whatever they are, and of use to the status of a message. */
export function describeReceipts(name: string, makeHarness: MakeHarness): void {
  describeReports(name, makeHarness);
  describeStatuses(name, makeHarness);
}

function describeReports(name: string, makeHarness: MakeHarness): void {
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
        expect(readReports(provider, request)).toEqual([expect.objectContaining(expected)]);
        expect(readReports(provider, request)).toEqual(readReports(provider, request));
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
          const reports = readReports(provider, request);
          expect(reports === 'forged' || Array.isArray(reports)).toBe(true);
        },
      );
      assertProperty(property, { numRuns: runs(300) });
    });
  });
}

function describeStatuses(name: string, makeHarness: MakeHarness): void {
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
      expect(harness.statuses.length > 0).toBe(harness.provider.capabilities.receipts !== 'none');
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
      await assertProperty(property, { numRuns: rounds({ usual: 15, long: 60 }) });
    });
  });
}

async function sendOne(harness: ProviderHarness, services: TestServices, account: TestAccount) {
  const [channel = 'sms'] = harness.provider.capabilities.channels;
  const message = await sendMessage(services.ctxFor(account.actor('unified')), {
    to: `+${await harness.prepare('accept')}`,
    text: 'Your code is 314159, tell nobody.',
    channels: [channel],
    sender: 'ACME',
    chatFrom: '15550000001',
    cloudTemplate: { name: 'hello', language: 'en' },
  });
  const providerMessageId = message.attempts?.[0]?.providerMessageId;
  if (!providerMessageId) throw new Error(`the provider did not accept the message: ${message.status}`);
  return { id: message.id, providerMessageId };
}
