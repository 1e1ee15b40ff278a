/** Forwards events to a developer's own server, in the very form in which deliveries are made. */

import { newId } from '../kernel/ids.ts';
import { createWebhookSigner } from '../modules/webhooks/signatures/webhook-signature.ts';
import { createOutbound, type OutboundResult } from '../outbound/outbound.ts';
import type { WebhookEventData } from './operations/operations.generated.ts';

/** As many as a worker makes at a time for one endpoint. */
const AT_A_TIME = 10;

/** As long as a try of a delivery may take. */
const DEADLINE_MS = 15_000;

/** Everywhere: whoever types a URL knows what is there, and mostly it is this machine. */
const EVERY_NETWORK = ['0.0.0.0/0', '::/0'];

/** The outcome of a forwarded event. */
export interface Forwarded {
  /** When it happened. */
  readonly time: string;
  readonly event: string;
  readonly eventId: string;
  readonly deliveryId: string;
  /** The HTTP status of the answer; null: none came. */
  readonly status: number | null;
  /** Why it answered nothing, in a word and in a sentence; null: it did. */
  readonly error: string | null;
  readonly message: string | null;
  /** The first KiB of an answer that is not 2xx; null: it acknowledged, or answered nothing. */
  readonly response: string | null;
  readonly durationMs: number;
}

/** Forwards events to one server. */
export interface Forwarder {
  /** Begins to forward an event, after those before it; resolves when it is on its way, or the signal has aborted. */
  forward(event: WebhookEventData): Promise<void>;
  /** Lets go of the connections. */
  close(): Promise<void>;
}

/** Makes a forwarder. `tell` is told what became of each event, as it is known; after the signal aborted, of none. */
export function createForwarder(
  target: { readonly url: string; readonly secret: string },
  tell: (forwarded: Forwarded) => void,
  signal: AbortSignal,
): Forwarder {
  const outbound = createOutbound({ allowedNetworks: EVERY_NETWORK });
  const sign = createWebhookSigner({ current: target.secret, previous: null });
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => aborted.resolve(), { once: true });
  const underWay = new Set<Promise<void>>();

  async function post({ id: eventId, event, createdAt, body }: WebhookEventData): Promise<void> {
    const deliveryId = newId('dlv');
    // biome-ignore lint/plugin: The receiver is on this machine, and goes by its clock.
    const timestamp = Math.floor(Date.now() / 1_000);
    const result = await outbound.post({
      url: target.url,
      headers: sign({ event, deliveryId, timestamp, body }),
      body,
      deadlineMs: DEADLINE_MS,
    });
    if (!signal.aborted) tell({ time: createdAt, event, eventId, deliveryId, ...outcomeOf(result) });
  }

  return {
    async forward(event) {
      while (underWay.size >= AT_A_TIME && !signal.aborted) await Promise.race([...underWay, aborted.promise]);
      if (signal.aborted) return;
      const posted = post(event).finally(() => underWay.delete(posted));
      underWay.add(posted);
    },
    close: () => outbound.close(),
  };
}

function outcomeOf(
  result: OutboundResult,
): Pick<Forwarded, 'status' | 'error' | 'message' | 'response' | 'durationMs'> {
  const durationMs = Math.round(result.durationMs);
  if (result.kind === 'failed')
    return { status: null, error: result.code, message: result.message, response: null, durationMs };
  const { status, excerpt } = result;
  const isAcknowledged = status >= 200 && status <= 299;
  return { status, error: null, message: null, response: isAcknowledged ? null : excerpt, durationMs };
}
