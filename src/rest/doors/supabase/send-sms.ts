/** The send-SMS hook of Supabase, whose server makes the code and verifies it. The code is sent as every passcode is, and kept as little. */
import { z } from 'zod';
import { AppError } from '../../../kernel/errors.ts';
import { toInputError } from '../../../kernel/input.ts';
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

const phone = z.string().nullish();

/** A call of the hook, as far as it matters. */
const hookInput = z.object({
  user: z.object({ phone, new_phone: phone }),
  sms: z.object({ otp: z.string().regex(/^[0-9]{4,10}$/, 'must have 4 to 10 digits'), phone }),
});

async function send({ ask, ctx, headers, body }: DoorRequest, text: string): Promise<PlainAnswer> {
  const given = parseJsonObject(await decodeJsonText(headers, body));
  const { data, error } = hookInput.safeParse(given);
  if (error) throw toInputError(error, given);
  const { user, sms } = data;
  // An older server does not say to which number. A user who adds a first number has a new one alone.
  const to = sms.phone || user.phone || user.new_phone || '';
  ctx.request.givenCode = sms.otp;
  const { status } = await ask('send-otp', { input: { to, length: sms.otp.length, template: text } });
  if (status === 'FAILED') throw new AppError('all_channels_failed', 'The passcode could not be sent.');
  return jsonAnswer(200, {});
}

/** `POST /hooks/supabase/send-sms`. */
export function supabaseHook({ secret, token, text }: HookSettings): DoorRoute {
  return {
    method: 'POST',
    path: '/hooks/supabase/send-sms',
    facts: { failureStyle: 'supabase' },
    fieldNames: { to: 'user.phone', length: 'sms.otp' },
    async headersOf({ headers, body }) {
      requireSignature(headers, await body(), secret);
      return withToken(headers, token);
    },
    answer: asked => send(asked, text),
  };
}
