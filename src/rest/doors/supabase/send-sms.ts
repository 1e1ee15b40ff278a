/** The send-SMS hook of Supabase, whose server makes the code and verifies it. The code is sent as every passcode is, and kept as little. */
import { z } from 'zod';
import { toAppError } from '../../../db/failures.ts';
import { AppError, ERRORS, type ErrorCode, invalidInput } from '../../../kernel/errors.ts';
import { toInputError } from '../../../kernel/input.ts';
import { LimitError } from '../../../kernel/rate-limit.ts';
import type { PlainAnswer } from '../../envelope.ts';
import { decodeJsonText, parseJsonObject } from '../../json-body.ts';
import { type DoorRequest, type DoorRoute, jsonAnswer, withToken } from '../door.ts';
import { requireSignature } from './signature.ts';

/** Settings of the hook. */
export interface HookSettings {
  readonly secret: Uint8Array;
  /** A token of ours. */
  readonly token: string;
  /** With `{{code}}`. */
  readonly text: string;
}

/** The field that a number is told at fault by. */
const TO = 'user.phone';

const phone = z.string().nullish();

/** A call of the hook, as far as it matters. */
const hookInput = z.object({
  user: z.object({ phone, new_phone: phone }),
  sms: z.object({
    otp: z.string().regex(/^[0-9]{4,10}$/, 'must have 4 to 10 digits'),
    phone,
    sms_type: z.string().nullish(),
  }),
});

/** The refusals whose sentence is for the person who waits. All others are for the operator, who finds them in the request log. */
const FOR_PEOPLE: ReadonlySet<ErrorCode> = new Set(['otp_cooldown', 'recipient_suppressed']);

async function send({ ask, ctx, headers, body }: DoorRequest, text: string): Promise<PlainAnswer> {
  const given = parseJsonObject(await decodeJsonText(headers, body));
  const { data, error } = hookInput.safeParse(given);
  if (error) throw toInputError(error, given);
  const { sms } = data;
  const to = numberOf(data);
  ctx.request.givenCode = sms.otp;
  const { status } = await ask('start-verification', { input: { to, length: sms.otp.length, template: text } });
  if (status === 'FAILED') throw new AppError('all_channels_failed', 'The passcode could not be sent.');
  return jsonAnswer(200, {});
}

/** The number that the code is for. @throws AppError `invalid_input` where an older server leaves it open: the code would confirm another number */
function numberOf({ user, sms }: z.infer<typeof hookInput>): string {
  if (sms.phone) return sms.phone;
  const numbers = new Set([user.phone, user.new_phone].filter(number => number));
  if (numbers.size > 1 || sms.sms_type === 'mfa')
    throw invalidInput('sms.phone', 'is required here: run supabase/auth 2.180.0 or later, which sends it');
  return user.phone || user.new_phone || '';
}

/** A refusal as Supabase reads it: the sentence of an answer with status 200 alone is shown to its user. */
function refusal(error: unknown): PlainAnswer {
  const known = toAppError(error);
  if (!known || ERRORS[known.code].status === 500 || ERRORS[known.code].status === 503) throw error;
  const message = isForPeople(known) ? known.message : 'The code could not be sent. Try again later.';
  return { ...jsonAnswer(200, { error: { http_code: ERRORS[known.code].status, message } }), error: known };
}

function isForPeople(error: AppError): boolean {
  if (error instanceof LimitError) return FOR_PEOPLE.has(error.code) || error.policy.name.startsWith('otp-sends');
  return FOR_PEOPLE.has(error.code) || error.details.errors?.[0]?.field === TO;
}

/** `POST /hooks/supabase/send-sms`. */
export function supabaseHook({ secret, token, text }: HookSettings): DoorRoute {
  return {
    method: 'POST',
    path: '/hooks/supabase/send-sms',
    facts: { failureStyle: 'supabase' },
    // The URL is the project's own.
    takesQuery: true,
    fieldNames: { to: TO, length: 'sms.otp' },
    async headersOf({ headers, body }) {
      requireSignature(headers, await body(), secret);
      return withToken(headers, token);
    },
    answer: asked => send(asked, text).catch(refusal),
  };
}
