/** The enums that several files use. Their values are lower-case inside, as in REST and in the database. */
import { CHANNEL_FACTS, CHANNELS, type Channel, DELIVERY_MODES, PURPOSES } from '../kernel/channel.ts';
import { AREAS } from '../kernel/crypto/secrets.ts';
import { LOG_STATUSES, OTP_STATUSES, STATUSES, SUCCESS_STATUSES } from '../kernel/status.ts';
import { LOG_TYPES } from '../modules/answers/log.data.ts';
import { defineEnum } from './from-zod.ts';

/** `Channel` */
export const ChannelEnum = defineEnum(
  'Channel',
  CHANNELS,
  'A way to the recipient.',
  Object.fromEntries(CHANNELS.map(channel => [channel, CHANNEL_FACTS[channel].meaning])) as Record<Channel, string>,
);

/** `DeliveryMode` */
export const DeliveryModeEnum = defineEnum('DeliveryMode', DELIVERY_MODES, 'How several channels are used.', {
  fallback: 'One after another, the next as soon as one fails; stops at the first that the provider accepts.',
  all: 'All at once; the message is sent if any was accepted.',
});

/** `Purpose` */
export const PurposeEnum = defineEnum('Purpose', PURPOSES, 'What a connection may be kept for.', {
  message: 'Messages.',
  otp: 'Passcodes.',
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
export const StatusEnum = defineEnum(
  'Status',
  STATUSES,
  'Where a message or an attempt stands. It moves only up: a late or repeated report never takes it back.',
  statusDescriptions,
);

/** `SuccessStatus` */
export const SuccessStatusEnum = defineEnum(
  'SuccessStatus',
  SUCCESS_STATUSES,
  'The status that an accepted channel has to reach in time, or the next one follows.',
  { delivered: 'It reached the phone.', read: 'It was opened.' },
);

/** `OtpStatus` */
export const OtpStatusEnum = defineEnum(
  'OtpStatus',
  OTP_STATUSES,
  'Where a passcode stands. Only one that is `PENDING` or `SENT` can be verified.',
  {
    pending: 'It is being handed over; its code may have arrived already.',
    sent: 'A provider accepted it, or may have.',
    verified: 'Its code was given. It cannot be used again.',
    expired: 'Its time was over.',
    blocked: 'Five wrong codes were given.',
    failed: 'No channel accepted it.',
    cancelled: 'A newer one was sent to the same recipient.',
  },
);

/** `LogStatus` */
export const LogStatusEnum = defineEnum(
  'LogStatus',
  LOG_STATUSES,
  'How an entry of the log stands: an attempt as `Status` says, an outcome of a passcode with what it was.',
  {
    ...statusDescriptions,
    failed: 'The attempt was refused or could not be delivered; of a passcode, a wrong code was given.',
    expired: 'The attempt was not delivered in its time; of a passcode, its code was given too late.',
    verified: 'The right code was given.',
    blocked: 'It was refused without looking: a passcode that is blocked, or a send that the fraud guard stopped.',
    received: 'A person sent it.',
  },
);

/** `Area` */
export const AreaEnum = defineEnum('Area', AREAS, 'What a token opens.', {
  unified: 'The unified API: messages and passcodes over every channel.',
  sms: 'Direct SMS.',
  otp: 'Passcodes by SMS.',
  management: 'Webhooks, senders and the log, and the export and erasure of recipients; it sends nothing.',
});

/** The fields find `LogType` by its values: no code names it. */
defineEnum('LogType', LOG_TYPES, 'What an entry of the log tells about.', {
  message_attempt: 'A message was handed to a provider.',
  otp_attempt: 'A passcode was handed to a provider.',
  otp_verified: 'A passcode was verified.',
  otp_incorrect: 'A wrong passcode was tried.',
  otp_expired: 'A passcode was tried after its time.',
  otp_blocked:
    'A passcode was tried after too many wrong ones, or the fraud guard stopped a send; `errorCode` says why.',
  otp_flagged:
    'A passcode went out that the fraud guard would have stopped, were it set to block; `errorCode` says why.',
  inbound: 'A message of a person came in: `recipient` is who wrote, `sender` what it came to.',
});
