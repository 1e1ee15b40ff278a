import { randomBytes } from 'node:crypto';
import { toUuid } from '../../../src/kernel/ids.ts';
import { Otp } from '../../../src/modules/otp/otp.entity.ts';
import { idAt } from '../logs/log-rows.ts';

/** A pinId that no OTP has. */
export function newPinId(): string {
  return `pin_${randomBytes(16).toString('hex')}`;
}

/** An OTP of an account, sent by SMS unless told otherwise; its code is nobody's. Not stored. */
export function makeOtp(accountId: string, given: Partial<Omit<Otp, 'accountId'>> = {}): Otp {
  const createdAt = given.createdAt ?? new Date();
  const expiresAt = given.expiresAt ?? new Date(createdAt.getTime() + 300_000);
  return Object.assign(new Otp(), {
    id: newPinId(),
    position: toUuid(idAt('msg', createdAt)),
    accountId,
    area: 'unified' as const,
    recipient: '12025550100',
    country: 'US',
    channels: ['sms' as const],
    deliveryMode: 'fallback' as const,
    chatFrom: null,
    sender: 'ACME',
    cloudTemplate: null,
    length: 6,
    expiresIn: 300,
    template: '{{code}}',
    autofill: null,
    nonce: '',
    keyId: '',
    codeMac: '',
    status: 'sent' as const,
    channel: 'sms' as const,
    segments: 1,
    smartEncoded: false,
    attempts: 0,
    attemptsMax: 5,
    resends: 0,
    resendAvailableAt: createdAt,
    expiresAt,
    verifiedAt: null,
    leaseUntil: null,
    createdAt,
    ...given,
  });
}
