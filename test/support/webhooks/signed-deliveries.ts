/** Deliveries that are signed at a time that stands still, and what is wrong with them where they are refused. */

import fc from 'fast-check';
import { afterEach, beforeEach, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import {
  createWebhookSigner,
  newWebhookSecret,
  verifyWebhook,
  type WebhookPayload,
  WebhookVerificationError,
} from '../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { rounds } from '../runner/rounds.ts';

/** How often a law is tried. */
export const RUNS = rounds({ usual: 500, long: 20_000 });
/** The time of every test, in seconds. */
export const NOW = 1_795_262_400;
/** The secret that signs. */
export const SECRET = newWebhookSecret();
/** Another secret: of someone else, or the one before a rotation. */
export const OTHER = newWebhookSecret();
/** The headers of the gateway's own scheme: the id, the timestamp, the signature. */
export const SERVICE = ['X-Service-Delivery', 'X-Service-Timestamp', 'X-Service-Signature'] as const;
/** Those of Standard Webhooks, in the same order. */
export const STANDARD = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
/** The payload that is delivered. */
export const PAYLOAD: WebhookPayload = {
  id: newId('evt'),
  event: 'message.sent',
  createdAt: '2026-11-21T12:00:00.000000Z',
  accountId: newId('acc'),
  data: { text: 'naïve 👋 \u0000' },
};
/** Its bytes, as text. */
export const BODY = JSON.stringify(PAYLOAD);

/** Lets the clock stand at `NOW` in the tests of the file that calls this. */
export function setUpSigning(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** The parts of a delivery that differ from the usual one. */
interface Changes {
  body?: string;
  timestamp?: number;
  current?: string;
  previous?: string | null;
}

/** The headers of one delivery, signed at the present with `SECRET` unless it says otherwise. */
export function sign({ body = BODY, timestamp = NOW, current = SECRET, previous = null }: Changes = {}) {
  const signing = { event: PAYLOAD.event, deliveryId: newId('dlv'), timestamp, body };
  return createWebhookSigner({ current, previous })(signing);
}

/** Those headers alone. */
export function only(names: readonly string[], headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, headers[name] ?? '']));
}

/** The error that a check throws. @throws Error where it throws none */
export function faultOf(check: () => unknown): Error {
  try {
    check();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it was accepted');
}

/** Whether a delivery is refused as one that cannot be verified. @throws Error where the delivery is accepted */
export function refuses(
  headers: Record<string, string>,
  body: string | Uint8Array = BODY,
  secret: string = SECRET,
): boolean {
  return faultOf(() => verifyWebhook(headers, body, secret)) instanceof WebhookVerificationError;
}

/** Any text, a NUL more often than by chance. */
export const texts = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constant('\0')),
});
/** Any payload. */
export const payloads = fc.record({ text: texts, more: fc.jsonValue() }).map(data => ({ ...PAYLOAD, data }));
