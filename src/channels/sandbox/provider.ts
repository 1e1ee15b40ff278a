/** The sandbox provider: stores messages and answers by magic recipient, so that every outcome can be tried. */
import { setTimeout as wait } from 'node:timers/promises';
import { CHANNELS } from '../../kernel/channel.ts';
import { newId } from '../../kernel/ids.ts';
import type { Capabilities, Provider, Receipt, SendRequest } from '../contract.ts';
import { failure, type SendOutcome } from '../outcome.ts';
import { actFor } from './recipients.ts';

/** The provider's name in attempts, metrics and receipts. */
export const SANDBOX_ID = 'sandbox';

/** The `retryAfterMs` of a throttled send. */
const RETRY_AFTER_MS = 250;

/** A message for a phone of the sandbox, with its later status. */
export interface SandboxArrival {
  readonly request: SendRequest;
  readonly providerMessageId: string;
  readonly later: Receipt['status'];
}

/** The services of the gateway that the sandbox is given. */
export interface SandboxServices {
  /** Stores a message, and the job of its receipt, durably. */
  keepArrival(arrival: SandboxArrival): Promise<void>;
}

const capabilities: Capabilities = { channels: CHANNELS, receipts: 'own' };

/** The sandbox, which is not in the registry: nobody configures it. */
export const sandbox = {
  create: (services: SandboxServices): Provider => ({
    id: SANDBOX_ID,
    capabilities,
    send: (request, signal) => sendToPhone(request, signal, services),
  }),
};

async function sendToPhone(request: SendRequest, signal: AbortSignal, services: SandboxServices): Promise<SendOutcome> {
  const act = actFor(request.to, request.channel);
  if (act.kind === 'reject') return failure('rejected', act.code);
  // Simulates a time-out without the wait.
  if (act.kind === 'time-out') return failure('unknown', 'timeout');
  if (request.tryNumber <= act.throttledTries) {
    return {
      kind: 'throttled',
      code: 'throttled',
      message: 'Too many messages at once.',
      retryAfterMs: RETRY_AFTER_MS,
    };
  }
  if (act.delayMs > 0) await wait(act.delayMs, undefined, { signal });
  const refusal = act.delayMs > 0 && request.refuse?.();
  if (refusal) return refusal;
  const providerMessageId = newId('sbx');
  await services.keepArrival({ request, providerMessageId, later: act.later });
  return { kind: 'accepted', providerMessageId };
}
