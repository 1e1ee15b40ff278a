/** The shapes of the facade's answers (contract §3, §4, §6), as the OpenAPI document shows them and the tests check them. */
import { z } from 'zod';
import { CHANNELS } from '../kernel/channel.ts';
import { ERRORS, type ErrorCode } from '../kernel/errors.ts';
import { OTP_STATUSES } from '../kernel/status.ts';
import { attemptData, timeData } from '../modules/answers/attempt.data.ts';
import { logEntryData, UNDOCUMENTED_TYPES } from '../modules/answers/log.data.ts';

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
    expiresAt: timeData,
    resendAvailableAt: timeData.nullable().meta({ description: 'When it may be sent again; null: never' }),
    attempts: z.array(attemptData),
  })
  .meta({ id: 'Otp', description: 'A passcode with every attempt that was made for it, without its code' });

/** `data` of a passcode that was sent by SMS: exactly the documented members. */
export const smsOtpData = z
  .strictObject({ pinId, recipient, status: otpStatus.meta({ example: 'sent' }) })
  .meta({ id: 'SmsOtp', description: 'A passcode by SMS, without its code' });

/** `data` of a passcode that was verified. */
export const verifiedOtpData = z
  .strictObject({ pinId, recipient, status: z.literal('verified'), verifiedAt: timeData })
  .meta({ id: 'VerifiedOtp', description: 'A passcode whose code was given' });

/** The documented types alone. */
const shownEntry = logEntryData
  .extend({
    type: logEntryData.shape.type.exclude(UNDOCUMENTED_TYPES),
    status: logEntryData.shape.status.exclude(['received']),
  })
  .meta({ id: 'LogEntry', description: 'One attempt over a channel, or what became of a passcode' });

/** `data` of a page of the log. */
export const logsData = z
  .strictObject({
    logs: z.array(shownEntry),
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
