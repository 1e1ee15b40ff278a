/**
 * The sandbox: an ordinary provider that stands for the recipients' phones. It keeps what it "sent" and acts by recipient, so
 * that every path of a caller's program can be walked without a contract with anyone and without cost.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { newId } from '../../kernel/ids.ts';
import type { Capabilities, Provider, ProviderDefinition, Receipt, SendOutcome, SendRequest } from '../contract.ts';
import { actFor } from './recipients.ts';

/** The provider's name in attempts, metrics and receipts. */
export const SANDBOX_ID = 'sandbox';

/** How long a throttled caller is told to wait. */
const RETRY_AFTER_MS = 250;

/** A text as it arrives on a phone of the sandbox, with the status that will be reported for it. */
export interface SandboxArrival {
  readonly request: SendRequest;
  readonly providerMessageId: string;
  readonly later: Receipt['status'];
}

/** The phones: who keeps what arrives, and reports its later status. */
export interface SandboxServices {
  /** Keeps an arrival for good, together with the promise of its receipt. */
  keepArrival(arrival: SandboxArrival): Promise<void>;
}

/** The sandbox needs to be told nothing. */
export type SandboxConfig = Record<string, never>;

const capabilities: Capabilities = { channels: ['chat_qr', 'chat_cloud', 'sms'], receipts: true };

/** The sandbox as a member of the registry. */
export const sandbox: ProviderDefinition<SandboxConfig, SandboxServices> = {
  id: SANDBOX_ID,
  label: 'Sandbox',
  capabilities,
  configSchema: z.strictObject({}),
  create: (_config, services): Provider => ({
    id: SANDBOX_ID,
    capabilities,
    send: (request, signal) => sendToPhone(request, signal, services),
  }),
};

async function sendToPhone(request: SendRequest, signal: AbortSignal, services: SandboxServices): Promise<SendOutcome> {
  const act = actFor(request.to, request.channel);
  if (act.kind === 'reject') return { kind: 'rejected', code: act.code, message: act.message };
  // The sandbox stands for a provider whose answer never came; nobody learns more by waiting the ten seconds.
  if (act.kind === 'time-out')
    return { kind: 'unknown', code: 'timeout', message: 'The provider did not answer in time.' };
  if (request.tryNumber <= act.throttledTries) {
    return {
      kind: 'throttled',
      code: 'throttled',
      message: 'Too many messages at once.',
      retryAfterMs: RETRY_AFTER_MS,
    };
  }
  if (act.delayMs > 0) await wait(act.delayMs, undefined, { signal });
  const providerMessageId = newId('sbx');
  await services.keepArrival({ request, providerMessageId, later: act.later });
  return { kind: 'accepted', providerMessageId };
}
