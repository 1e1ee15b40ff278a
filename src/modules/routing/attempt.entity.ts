/**
 * Attempts: one try to hand a message or an OTP to a provider over a channel. The log is this table too (contract §6):
 * recipient, sender and reference stand in the row, so that its filters need no other table. The outcome of an OTP is a row of its own.
 */
import { defineEntity, p } from '@mikro-orm/core';
import type { PassedOver } from '../../channels/providers.ts';
import { IdType } from '../../db/id-type.ts';
import { CHANNELS, type Channel } from '../../kernel/channel.ts';
import { AREAS } from '../../kernel/crypto/secrets.ts';
import { LOG_STATUSES, type Status } from '../../kernel/status.ts';
import { LOG_TYPES } from '../answers/log.data.ts';

const AttemptSchema = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  properties: {
    id: p.type(new IdType('att')).primary(),
    accountId: p.type(new IdType('acc')),
    area: p.enum([...AREAS]),
    type: p.enum([...LOG_TYPES]),
    messageId: p.type(new IdType('msg')).nullable(),
    pinId: p.type(new IdType('pin')).nullable(),
    /** The resend of an OTP that the attempt belongs to; 0: its first send. */
    resend: p.integer().nullable(),
    /** The channel; of an outcome the one that the OTP came over, where that is known. */
    channel: p.enum([...CHANNELS]).nullable(),
    /** Null where no provider is asked: on outcomes, where the channel has none (`no_route`), and for a sender that a rule refuses. */
    provider: p.text().nullable(),
    /** The connection that it goes by; null: the sandbox, or none. */
    connectionId: p.type(new IdType('con')).nullable(),
    recipient: p.text(),
    /** Country of the recipient, ISO 3166-1 alpha-2; null where the number tells none, and of messages by the sandbox of former releases. */
    country: p.text().nullable(),
    /** The sender that it goes out from: the request's, or the one that a sender rule put in its place. */
    sender: p.text().nullable(),
    reference: p.text().nullable(),
    status: p.enum([...LOG_STATUSES]),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    segments: p.integer(),
    /** SMS credits that this attempt costs; 0 where nothing was accepted and on chat channels. */
    credits: p.integer().default(0),
    /** The provider's own id of it, by which a receipt is matched. */
    providerMessageId: p.text().nullable(),
    /** When it was begun; of an outcome, when the OTP was made. */
    startedAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
    /**
     * The connections that would have come before its own, and its own where it was down or sick. All of the channel where none was asked. Null, the
     * usual case: none.
     */
    passedOver: p.json<PassedOver[]>().nullable(),
    /** When a receipt raised it last, by the database's clock; null: none has. */
    reportedAt: p.datetime().nullable(),
    /** When it was reported delivered, where it was reported read since. */
    deliveredAt: p.datetime().nullable(),
    /** The status before the first receipt, unless that was `sent`. Null: no receipt has come, or it was `sent`. */
    endedAs: p.text().$type<Status>().nullable(),
    /** The price, as the provider's receipts write it; null: they tell none. */
    pricing: p.json<Record<string, unknown>>().nullable(),
  },
  indexes: [
    { name: 'attempts_account_id_id_index', properties: ['accountId', 'id'] },
    // The log of a token of one area: the rest of the account may be much larger.
    {
      name: 'attempts_account_id_area_id_index',
      properties: ['accountId', 'area', 'id'],
      where: "area <> 'unified'",
    },
    { name: 'attempts_account_id_recipient_id_index', properties: ['accountId', 'recipient', 'id'] },
    // Attempts with an error code: most have none.
    {
      name: 'attempts_account_id_error_code_id_index',
      properties: ['accountId', 'errorCode', 'id'],
      where: 'error_code is not null',
    },
    { name: 'attempts_message_id_index', properties: ['messageId'] },
    { name: 'attempts_pin_id_index', properties: ['pinId'], where: 'pin_id is not null' },
    // OTPs that were blocked or flagged: few, and a list of them must not read through all attempts.
    {
      name: 'attempts_stopped_index',
      properties: ['accountId', 'id'],
      where: "type in ('otp_blocked', 'otp_flagged')",
    },
    // The attempts of a connection, for its health.
    {
      name: 'attempts_connection_id_id_index',
      properties: ['connectionId', 'id'],
      where: 'connection_id is not null',
    },
    {
      name: 'attempts_provider_message_id_index',
      properties: ['providerMessageId'],
      where: 'provider_message_id is not null',
    },
  ],
});

/** One attempt, or what became of an OTP. */
export class Attempt extends AttemptSchema.class {}
AttemptSchema.setClass(Attempt);

/** An attempt over a channel: what the rows of type `message_attempt` and `otp_attempt` are. */
export type ChannelAttempt = Attempt & {
  type: 'message_attempt' | 'otp_attempt';
  channel: Channel;
  provider: string | null;
  status: Status;
  /** Whether the next connection of its channel may follow (contract §12); kept in memory alone. */
  failsOver?: boolean;
};

/** Whether a row is an attempt over a channel, and not what became of an OTP. */
export function isChannelAttempt(attempt: Attempt): attempt is ChannelAttempt {
  return attempt.type === 'message_attempt' || attempt.type === 'otp_attempt';
}

/** The order of the attempts of a send with these channels: by the route, then by time, which the id begins with. A resend comes after all before it. */
export function byRoute(channels: readonly Channel[]): (a: ChannelAttempt, b: ChannelAttempt) => number {
  const placeOf = ({ channel }: ChannelAttempt): number => channels.indexOf(channel);
  return (a, b) =>
    (a.resend ?? 0) - (b.resend ?? 0) || placeOf(a) - placeOf(b) || Number(a.id > b.id) - Number(a.id < b.id);
}
