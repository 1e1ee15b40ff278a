/** The interface of a provider. Deadlines, retries, masking and metrics belong to the gateway (`dispatch.ts`). */
import { z } from 'zod';
import type { Channel } from '../kernel/channel.ts';

/** A template of a cloud chat API, as in the request. `components` is passed to the provider unchanged. */
export interface CloudTemplate {
  name: string;
  language: string;
  components?: unknown[] | undefined;
}

/** One attempt, for a provider. */
export interface SendRequest {
  /** `att_…`; pass it as the client reference if the provider's API takes one. */
  readonly attemptId: string;
  readonly accountId: string;
  readonly channel: Channel;
  /** The recipient, digits only. */
  readonly to: string;
  /** The sender name (sms), the QR sender's number (chat_qr) or the cloud number (chat_cloud). */
  readonly from: string;
  readonly text: string;
  readonly template: CloudTemplate | null;
  /** 1 for the first try of this attempt; higher after `throttled`. */
  readonly tryNumber: number;
}

/** The outcome of a send: a value where it is expected. `unknown`: the provider may have accepted it, so it is never sent again on that channel. */
export type SendOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'rejected'; readonly code: string; readonly message: string }
  | { readonly kind: 'throttled'; readonly code: string; readonly message: string; readonly retryAfterMs: number }
  | { readonly kind: 'unavailable'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string };

/** A later status, reported by a provider. */
export const receiptSchema = z.object({
  provider: z.string(),
  providerMessageId: z.string(),
  /** The attempt, if the provider repeats our reference: the gateway may not know the provider's id yet. */
  attemptId: z.string().nullish(),
  status: z.enum(['sent', 'delivered', 'read', 'failed', 'expired']),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
});

/** A later status, checked. */
export type Receipt = Readonly<z.infer<typeof receiptSchema>>;

/** What a provider supports. */
export interface Capabilities {
  readonly channels: readonly Channel[];
  /** Whether it reports later statuses. */
  readonly receipts: boolean;
}

/** A provider with the configuration of one account. */
export interface Provider {
  readonly id: string;
  readonly capabilities: Capabilities;
  /** Sends one attempt; `signal` aborts at the deadline. After that, or where it throws, the outcome is `unknown`: bytes may have been sent. */
  send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
}

/** A provider of the registry: its facts, its configuration, and how to create it. */
export interface ProviderDefinition<Config, Services> {
  readonly id: string;
  readonly label: string;
  readonly capabilities: Capabilities;
  readonly configSchema: z.ZodType<Config>;
  create(config: Config, services: Services): Provider;
}
