/** The meaning of Meta's errors for an attempt. */
import { z } from 'zod';
import { WHATSAPP_ERRORS, type WhatsAppFault, whatsAppSentence } from '../../kernel/providers/whatsapp-errors.ts';
import type { SendRequest } from '../contract.ts';
import { type Refusal, readAs, refusedAs, serverError, tellable } from '../http/answer.ts';
import type { Answer } from '../http/client.ts';
import type { SendOutcome } from '../outcome.ts';

/** How long after a message to somebody the next one to them is taken, in milliseconds. */
const PAIR_MS = 6_000;

/** Too many messages to one recipient. */
const PAIR_CODE = 131_056;

/** A field that is not accepted; by its division 33 the object of the address is not known. */
const FIELD_CODE = 100;
const UNKNOWN_OBJECT = 33;

/** An error, as far as it is read. */
const refused = z.object({
  error: z.object({
    code: z.int(),
    error_subcode: z.int().nullish().catch(null),
    message: z.string().catch(''),
    error_user_msg: z.string().optional().catch(undefined),
    error_data: z.object({ details: z.string().catch('') }).catch({ details: '' }),
  }),
});

const REFUSALS: Readonly<Record<WhatsAppFault, Refusal>> = {
  recipient: 'recipient',
  template: 'recipient',
  connection: 'own',
  pace: 'throttled',
  provider: 'down',
};

/** The error in an answer; undefined: there is none of Meta's. */
export function errorIn(answer: Answer): z.output<typeof refused>['error'] | undefined {
  return readAs(refused, answer)?.error;
}

/** The outcome of a message that Meta did not take. @param secrets of the config, which nobody is told */
export function refusalOf(request: SendRequest, answer: Answer, secrets: readonly string[]): SendOutcome {
  const error = errorIn(answer);
  // Without an error of Meta's, a proxy answers: nobody knows whether the message arrived.
  if (!error && answer.status >= 500) return serverError(answer);
  if (!error) {
    const named = { code: `http_${answer.status}`, message: `The provider answered ${answer.status}.` };
    return refusedAs(answer.status === 429 ? 'throttled' : 'own', named, answer);
  }
  const { message, error_data } = error;
  // No text is to blame where the number is not known: the next connection has another one.
  const code = isUnknownObject(answer) ? UNKNOWN_OBJECT : error.code;
  const words = tellable(error_data.details || message, secrets, request);
  const sentence = whatsAppSentence(code);
  const named = { code: `whatsapp_${code}`, message: words === '' ? sentence : `${sentence} Meta says: ${words}` };
  const known = WHATSAPP_ERRORS.get(code);
  // A fault of Meta's that nobody here knows may come after the message was taken.
  if (!known && answer.status >= 500) return { kind: 'unknown', ...named };
  const outcome = refusedAs(REFUSALS[known?.fault ?? 'connection'], named, answer);
  return outcome.kind === 'throttled' && code === PAIR_CODE ? { ...outcome, retryAfterMs: PAIR_MS } : outcome;
}

/** Whether Meta does not know the object of the address, or does not show it to this access token. */
export function isUnknownObject(answer: Answer): boolean {
  const error = errorIn(answer);
  return error?.code === FIELD_CODE && error.error_subcode === UNKNOWN_OBJECT;
}

/** Whether Meta says that the access token has no rights, or no more. */
export function isRefusedToken(answer: Answer): boolean {
  const code = errorIn(answer)?.code;
  return answer.status === 401 || (code !== undefined && [0, 3, 10, 190, 200].includes(code));
}
