/** Sends through providers that answer as a test says, and what they cost. */
import { expect } from 'vitest';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { setUpScriptedSends } from '../messaging/scripted-sends.ts';
import { newRecipient } from '../otp/pins.ts';
import { OPERATOR } from '../services.ts';
import { endLeases } from '../webhooks/state-changes.ts';
import { auditMoney } from './money-audit.ts';

/** Makes all of it for the tests of the file that calls this: the account of a test has 10 credits, and providers accept. */
export function setUpMoney() {
  const sends = setUpScriptedSends({ credits: 10 });
  const { t, account, report } = sends;
  return {
    ...sends,
    /** Sends an OTP by SMS, or as is said otherwise. */
    sendCode: (input: Partial<Parameters<typeof sendOtp>[1]> = {}) =>
      sendOtp(t.ctxFor(account.actor('unified')), { to: `+${newRecipient()}`, channels: ['sms'], ...input }),
    /** The sums of the account's money. @throws AssertionError where they do not add up */
    async money(): Promise<{ credits: number; held: number; spent: number }> {
      const { faults, credits, held, spent } = await auditMoney(t.sql, account.accountId);
      expect(faults).toEqual([]);
      return { credits, held, spent };
    },
    /** Lets the leases of the account end, as time does, and makes a round of recovery. */
    async takeOver(): Promise<void> {
      await endLeases({ t, account });
      const ctx = t.ctxFor(OPERATOR);
      await Promise.all([recoverSends(ctx, MESSAGE), recoverSends(ctx, OTP)]);
    },
    /** Records receipts of the provider, in one call each, all at once. */
    reportAll: (ids: readonly (string | null | undefined)[], status: 'delivered' | 'failed' = 'delivered') =>
      Promise.all(ids.map(id => report(id, status))),
  };
}

/** A text of so many segments. */
export function textOf(segments: number): string {
  return 'a'.repeat(segments === 1 ? 100 : 153 * segments);
}
