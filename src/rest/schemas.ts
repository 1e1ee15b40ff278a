/** The shapes of the facade's answers (contract §3, §4, §6), as the OpenAPI document shows them and the tests check them. */
import { z } from 'zod';
import { CHANNELS, DELIVERY_MODES } from '../kernel/channel.ts';
import { ERRORS, type ErrorCode } from '../kernel/errors.ts';
import { LOG_STATUSES, OTP_STATUSES, STATUSES } from '../kernel/status.ts';
import { LOG_TYPES } from '../modules/routing/attempt.entity.ts';

const time = z.iso.datetime().meta({ description: 'ISO 8601, UTC', format: 'date-time' });

/** One attempt of a message or of a passcode. */
const attemptData = z
  .strictObject({
    attemptId: z.string().meta({ example: 'att_0199f3c2a1b47c1e8f00a1b2c3d4e5f6' }),
    channel: z.enum(CHANNELS),
    provider: z
      .string()
      .nullable()
      .meta({ example: 'sandbox', description: 'null: none is connected for the channel (`no_route`)' }),
    status: z.enum(STATUSES),
    errorCode: z.string().nullable(),
    errorMessage: z.string().nullable(),
    segments: z.int().min(0),
    credits: z.int().min(0),
    startedAt: time,
    finishedAt: time.nullable(),
  })
  .meta({ id: 'Attempt', description: 'One try to hand a message or a passcode to one provider over one channel' });

/** `data` of a send. */
export const messageData = z
  .strictObject({
    messageId: z.string().meta({ example: 'msg_0199f3c2a1b47c1e8f00a1b2c3d4e5f6' }),
    reference: z.string().nullable(),
    recipient: z.string().meta({ description: 'Digits only', example: '12025550100' }),
    status: z.enum(STATUSES),
    deliveryMode: z.enum(DELIVERY_MODES),
    channel: z.enum(CHANNELS).nullable().meta({ description: 'The first channel that was accepted; null: none' }),
    segments: z.int().min(0),
    attempts: z.array(attemptData),
    createdAt: time,
  })
  .meta({ id: 'Message', description: 'A message with every attempt that was made for it' });

const pinId = z.string().meta({ description: 'Names the passcode', example: 'pin_5f1d7a84c3b24e0f9a6d2c1b8e7f4a30' });
const recipient = z.string().meta({ description: 'Digits only', example: '12025550100' });
const otpStatus = z.enum(OTP_STATUSES);

/** `data` of a passcode that was sent. */
export const otpData = z
  .strictObject({
    pinId,
    recipient,
    status: otpStatus,
    channel: z.enum(CHANNELS).nullable().meta({ description: 'The first channel that was accepted; null: none' }),
    expiresAt: time,
    resendAvailableAt: time.nullable().meta({ description: 'When it may be sent again; null: never' }),
    attempts: z.array(attemptData),
  })
  .meta({ id: 'Otp', description: 'A passcode with every attempt that was made for it, without its code' });

/** `data` of a passcode that was sent by SMS: exactly the documented members. */
export const smsOtpData = z
  .strictObject({ pinId, recipient, status: otpStatus.meta({ example: 'sent' }) })
  .meta({ id: 'SmsOtp', description: 'A passcode by SMS, without its code' });

/** `data` of a passcode that was verified. */
export const verifiedOtpData = z
  .strictObject({ pinId, recipient, status: z.literal('verified'), verifiedAt: time })
  .meta({ id: 'VerifiedOtp', description: 'A passcode whose code was given' });

/** One entry of the log. */
const logEntryData = z
  .strictObject({
    id: z.string(),
    type: z.enum(LOG_TYPES).exclude(['otp_flagged']),
    messageId: z.string().nullable(),
    pinId: z.string().nullable(),
    channel: z.enum(CHANNELS).nullable(),
    provider: z.string().nullable(),
    recipient: z.string(),
    status: z.enum(LOG_STATUSES),
    errorCode: z.string().nullable(),
    errorMessage: z.string().nullable(),
    segments: z.int().min(0),
    credits: z.int().min(0),
    latencyMs: z.int().min(0).nullable(),
    createdAt: time,
  })
  .meta({ id: 'LogEntry', description: 'One attempt over a channel, or what became of a passcode' });

/** `data` of a page of the log. */
export const logsData = z
  .strictObject({
    logs: z.array(logEntryData),
    nextCursor: z.string().nullable().meta({ description: 'For the next page; null: there is none' }),
  })
  .meta({ id: 'Logs', description: 'A page of the log, newest first' });

/** A plant as it is answered. */
export const plantData = z
  .strictObject({ name: z.string(), tag: z.string().optional() })
  .meta({ id: 'Plant', description: 'A plant' });

/** The error body of the plant endpoint. */
export const plantError = z
  .strictObject({ error: z.int().meta({ format: 'int32', description: 'The status' }), message: z.string() })
  .meta({ id: 'Error', description: 'Why the plant was not created' });

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** A failure: RFC 9457 with the envelope's members beside it. */
export const problem = z
  .strictObject({
    success: z.literal(false),
    message: z.string(),
    type: z.string().meta({ description: 'About this kind of failure' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(codes),
    requestId: z.string(),
    errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
    retryAfter: z.int().optional().meta({ description: 'Seconds; also the header Retry-After' }),
    data: z.unknown().optional().meta({
      description: 'Where there is a result to show: what no channel accepted, or `attemptsRemaining` of a passcode',
    }),
  })
  .meta({ id: 'Problem', description: 'A failure (RFC 9457)' });
