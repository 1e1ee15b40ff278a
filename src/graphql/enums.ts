/** The enums of the contract's words. Inside they are lower-case, as in REST and in the database. */
import { CHANNELS, DELIVERY_MODES } from '../kernel/channel.ts';
import { AREAS } from '../kernel/crypto/secrets.ts';
import { LOG_STATUSES, OTP_STATUSES, STATUSES } from '../kernel/status.ts';
import { LOG_TYPES } from '../modules/routing/attempt.entity.ts';
import { builder } from './builder.ts';

/** Enum values with a description each; the name is the upper-case of the word. */
export function enumValues<Word extends string>(all: readonly Word[], descriptions: Record<Word, string>) {
  return Object.fromEntries(
    all.map(word => [word.toUpperCase(), { value: word, description: descriptions[word] }]),
  ) as Record<Uppercase<Word>, { value: Word; description: string }>;
}

/** `Channel` */
export const ChannelEnum = builder.enumType('Channel', {
  description: 'A way to the recipient.',
  values: enumValues(CHANNELS, {
    chat_qr: 'A chat sender linked by QR. Needs `chatFrom`.',
    chat_cloud: 'The cloud API of a chat. Needs `cloudTemplate` where the cloud number takes templates only.',
    sms: 'SMS. Needs `sender`, an approved sender name.',
  }),
});

/** `DeliveryMode` */
export const DeliveryModeEnum = builder.enumType('DeliveryMode', {
  description: 'How several channels are used.',
  values: enumValues(DELIVERY_MODES, {
    fallback: 'One after another, the next as soon as one fails; stops at the first that the provider accepts.',
    all: 'All at once; the message is sent if any was accepted.',
  }),
});

const statusDescriptions = {
  pending: 'It is being handed over.',
  sent: 'The provider accepted it.',
  delivered: 'It reached the phone.',
  read: 'It was opened.',
  failed: 'It was refused, or could not be delivered.',
  expired: 'It was not delivered in its time.',
  unknown: 'The provider may have it: the answer never came. It is not tried again on that channel.',
};

/** `Status` */
export const StatusEnum = builder.enumType('Status', {
  description: 'Where a message or an attempt stands. It moves only up: a late or repeated report never takes it back.',
  values: enumValues(STATUSES, statusDescriptions),
});

/** `OtpStatus` */
export const OtpStatusEnum = builder.enumType('OtpStatus', {
  description: 'Where a passcode stands. Only one that is `PENDING` or `SENT` can be verified.',
  values: enumValues(OTP_STATUSES, {
    pending: 'It is being handed over; its code may have arrived already.',
    sent: 'A provider accepted it, or may have.',
    verified: 'Its code was given. It cannot be used again.',
    expired: 'Its time was over.',
    blocked: 'Five wrong codes were given.',
    failed: 'No channel accepted it.',
    cancelled: 'A newer one was sent to the same recipient.',
  }),
});

/** `LogStatus` */
export const LogStatusEnum = builder.enumType('LogStatus', {
  description:
    'How an entry of the log stands: an attempt as `Status` says, an outcome of a passcode with what it was.',
  values: enumValues(LOG_STATUSES, {
    ...statusDescriptions,
    failed: 'The attempt was refused or could not be delivered; of a passcode, a wrong code was given.',
    expired: 'The attempt was not delivered in its time; of a passcode, its code was given too late.',
    verified: 'The right code was given.',
    blocked: 'It was refused without looking: a passcode that is blocked, or a send that the fraud guard stopped.',
  }),
});

/** `Area` */
export const AreaEnum = builder.enumType('Area', {
  description: 'What a token opens.',
  values: enumValues(AREAS, {
    unified: 'The unified API: messages and passcodes over every channel.',
    sms: 'Direct SMS.',
    otp: 'Passcodes by SMS.',
    management: 'Webhooks, senders and the log, for dashboards; it sends nothing.',
  }),
});

/** `LogType` */
export const LogTypeEnum = builder.enumType('LogType', {
  description: 'What an entry of the log tells about.',
  values: enumValues(LOG_TYPES, {
    message_attempt: 'A message was handed to a provider.',
    otp_attempt: 'A passcode was handed to a provider.',
    otp_verified: 'A passcode was verified.',
    otp_incorrect: 'A wrong passcode was tried.',
    otp_expired: 'A passcode was tried after its time.',
    otp_blocked:
      'A passcode was tried after too many wrong ones, or the fraud guard stopped a send; `errorCode` says why.',
    otp_flagged:
      'A passcode went out that the fraud guard would have stopped, were it set to block; `errorCode` says why.',
  }),
});
