/** OTPs as rows of the batch statements, whose keys are the columns, and back. */
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import type { Otp } from './otp.entity.ts';

/** An OTP as a row of `otps`, without what the database's clock decides. */
export function otpRow(otp: Otp): object {
  return {
    id: toUuid(otp.id),
    position: otp.position,
    account_id: toUuid(otp.accountId),
    area: otp.area,
    recipient: otp.recipient,
    country: otp.country,
    channels: otp.channels,
    delivery_mode: otp.deliveryMode,
    chat_from: otp.chatFrom,
    sender: otp.sender,
    cloud_template: otp.cloudTemplate,
    length: otp.length,
    expires_in: otp.expiresIn,
    template: otp.template,
    autofill: otp.autofill,
    nonce: otp.nonce,
    key_id: otp.keyId,
    code_mac: otp.codeMac,
    status: otp.status,
    segments: otp.segments,
    attempts_max: otp.attemptsMax,
  };
}

/** The columns of `otpRow`. */
export const OTP_COLUMNS = `id, position, account_id, area, recipient, country, channels, delivery_mode, chat_from, sender,
  cloud_template, length, expires_in, template, autofill, nonce, key_id, code_mac, status, segments, attempts_max`;

/** A row of `otps` as `row_to_json` prints it. */
export interface OtpJson {
  readonly id: string;
  readonly account_id: string;
  readonly [column: string]: unknown;
}

/** The OTP of a row, as plain data. */
export function fromOtpJson(row: OtpJson): Otp {
  const camel = Object.entries(row).map(([column, value]) => {
    const property = column.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
    return [property, property.endsWith('At') && typeof value === 'string' ? new Date(value) : value];
  });
  return {
    ...(Object.fromEntries(camel) as Otp),
    id: fromUuid('pin', row.id),
    accountId: fromUuid('acc', row.account_id),
  };
}
