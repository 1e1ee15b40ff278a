/**
 * The contract between the gateway and its providers. A provider translates one send into its own protocol and says what
 * became of it; deadlines, repeats, masking and metrics are the gateway's (`dispatch.ts`), never the provider's.
 */
import type { z } from 'zod';
import type { Channel } from '../kernel/channel.ts';

/** A template of a cloud chat API, as the caller named it. `components` is handed to the provider as it is. */
export interface CloudTemplate {
  name: string;
  language: string;
  components?: unknown[] | undefined;
}

/** One attempt, as a provider sees it. */
export interface SendRequest {
  /** `att_…`; a provider whose API takes a reference of ours gives it this one. */
  readonly attemptId: string;
  readonly accountId: string;
  readonly channel: Channel;
  /** The recipient in digits-only form. */
  readonly to: string;
  /** The sender name (sms), the QR sender's number (chat_qr) or the cloud number (chat_cloud). */
  readonly from: string;
  readonly text: string;
  readonly template: CloudTemplate | null;
  /** 1 for the first hand-over of this attempt; higher after `throttled`. */
  readonly tryNumber: number;
}

/**
 * What became of a send. Expected outcomes are values, never exceptions. `unknown` means that the provider may have taken it
 * (time-out after bytes were sent, broken connection): it is never repeated on that channel.
 */
export type SendOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'rejected'; readonly code: string; readonly message: string }
  | { readonly kind: 'throttled'; readonly code: string; readonly message: string; readonly retryAfterMs: number }
  | { readonly kind: 'unavailable'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly code: string; readonly message: string };

/** What a provider reports later about something that it accepted. */
export interface Receipt {
  readonly provider: string;
  readonly providerMessageId: string;
  /** The attempt, where the provider repeats what `SendRequest` called it: the id of the provider may never have reached the gateway. */
  readonly attemptId?: string | null | undefined;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed' | 'expired';
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** What a provider can do, so that routing and pages need not know its name. */
export interface Capabilities {
  readonly channels: readonly Channel[];
  /** Whether later statuses are reported. */
  readonly receipts: boolean;
}

/** A provider, ready to send for one account's configuration. */
export interface Provider {
  readonly id: string;
  readonly capabilities: Capabilities;
  /**
   * Hands one attempt over. `signal` aborts at the deadline: from then on the outcome counts as `unknown`, whatever is returned.
   * @throws only by mistake; a thrown error counts as `unknown` too, since bytes may have been sent.
   */
  send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome>;
}

/** A member of the registry: what it is, what it must be told, and how one is made. */
export interface ProviderDefinition<Config, Services> {
  readonly id: string;
  readonly label: string;
  readonly capabilities: Capabilities;
  readonly configSchema: z.ZodType<Config>;
  create(config: Config, services: Services): Provider;
}
