/** Recipients with whom something always happens, so that a test can rehearse it. All are numbers that a gateway takes for possible ones. */
import type { ReportedStatus } from './options.ts';

/** The fate of a message. */
export type Rehearsal =
  /** Refused in the answer. */
  | { readonly kind: 'refused'; readonly code: number }
  /** Refused in the answer to the first message of a number; the next ones are taken. */
  | { readonly kind: 'refused once'; readonly code: number }
  /** Taken, and these statuses are reported in place of the usual ones. */
  | { readonly kind: 'reported'; readonly statuses: readonly ReportedStatus[] }
  /** Taken, and answered when a client has given up. */
  | { readonly kind: 'slow' }
  /** Taken, and the connection is broken off before the answer. */
  | { readonly kind: 'dropped' };

/** Nobody with this number uses WhatsApp: taken, then failed with 131026. */
export const NOT_ON_WHATSAPP = '4915590000001';
/** The person has not written for 24 hours: taken, then failed with 131047. */
export const OUT_OF_WINDOW = '4915590000002';
/** Meta holds the message back: taken, then failed with 131049. */
export const HELD_BACK = '4915590000003';
/** The number takes part in an experiment: taken, then failed with 130472. */
export const EXPERIMENT = '4915590000004';
/** Whatever template is used is paused: refused with 132015. */
export const PAUSED_TEMPLATE = '4915590000005';
/** `read` is reported before `delivered`. */
export const READ_FIRST = '4915590000006';
/** `delivered` is reported after `failed`. */
export const DELIVERED_AFTER_FAILED = '4915590000007';
/** The pricing changes between `sent` and `delivered`. */
export const PRICE_CHANGES = '4915590000008';
/** The first message is refused with 130429. */
export const THROTTLED_ONCE = '4915590000009';
/** The first message is refused with 131056. */
export const PAIR_LIMITED_ONCE = '4915590000010';
/** The message is taken, and the answer comes when a client has given up. */
export const SLOW = '4915590000011';
/** The message is taken, and the connection is broken off. */
export const DROPPED = '4915590000012';
/** A person who shows no number: reached by this user id alone. */
export const WITHOUT_PHONE = 'DE.9015590000013';

const failed = (code: number): Rehearsal => ({ kind: 'reported', statuses: [{ status: 'failed', code }] });
const reported = (...statuses: readonly ReportedStatus[]): Rehearsal => ({ kind: 'reported', statuses });

const REHEARSALS: Readonly<Record<string, Rehearsal>> = {
  [NOT_ON_WHATSAPP]: failed(131026),
  [OUT_OF_WINDOW]: failed(131047),
  [HELD_BACK]: failed(131049),
  [EXPERIMENT]: failed(130472),
  [PAUSED_TEMPLATE]: { kind: 'refused', code: 132015 },
  [READ_FIRST]: reported({ status: 'sent' }, { status: 'read' }, { status: 'delivered' }),
  [DELIVERED_AFTER_FAILED]: reported({ status: 'sent' }, { status: 'failed', code: 131026 }, { status: 'delivered' }),
  [PRICE_CHANGES]: reported(
    { status: 'sent', pricing: { billable: true, type: 'regular', category: 'marketing' } },
    { status: 'delivered', pricing: { billable: false, type: 'free_customer_service', category: 'utility' } },
  ),
  [THROTTLED_ONCE]: { kind: 'refused once', code: 130429 },
  [PAIR_LIMITED_ONCE]: { kind: 'refused once', code: 131056 },
  [SLOW]: { kind: 'slow' },
  [DROPPED]: { kind: 'dropped' },
};

/** The number whose messages are refused with a code, in the answer or by a later status. */
export function recipientOf(code: number, told: 'answer' | 'callback' = 'answer'): string {
  return `49155${told === 'answer' ? 1 : 2}${String(code).padStart(7, '0')}`;
}

const BY_CODE = /^49155([12])([0-9]{7})$/;

/** The fate of messages to a recipient, a number or a user id; null: the usual one. */
export function rehearsalOf(recipient: string): Rehearsal | null {
  const [, told, digits] = BY_CODE.exec(recipient) ?? [];
  if (told === undefined) return REHEARSALS[recipient] ?? null;
  const code = Number(digits);
  return told === '1' ? { kind: 'refused', code } : failed(code);
}
