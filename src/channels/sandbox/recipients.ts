/** The magic recipients of the sandbox (contract §9): their outcome and later status. */
import type { OwnCode } from '../../kernel/attempt-errors.ts';
import { type Channel, isSms } from '../../kernel/channel.ts';
import type { Receipt } from '../contract.ts';

type SandboxAct =
  | {
      readonly kind: 'accept';
      readonly delayMs: number;
      readonly throttledTries: number;
      readonly later: Receipt['status'];
    }
  | { readonly kind: 'reject'; readonly code: OwnCode }
  | { readonly kind: 'time-out' };

const DELIVERED = { kind: 'accept', delayMs: 0, throttledTries: 0, later: 'delivered' } as const;
const SMS_REFUSED: SandboxAct = { kind: 'reject', code: 'recipient_refused' };
const NOT_ON_CHAT: SandboxAct = { kind: 'reject', code: 'recipient_not_found' };

/** The act for each magic recipient, by channel. */
const ACTS: Readonly<Record<string, (channel: Channel) => SandboxAct>> = {
  '12025550101': channel => (isSms(channel) ? SMS_REFUSED : DELIVERED),
  '12025550102': channel => (channel === 'chat_qr' ? NOT_ON_CHAT : DELIVERED),
  '12025550103': channel => (isSms(channel) ? DELIVERED : NOT_ON_CHAT),
  '12025550104': channel => (isSms(channel) ? SMS_REFUSED : NOT_ON_CHAT),
  '12025550105': () => ({ ...DELIVERED, later: 'failed' }),
  '12025550106': () => ({ kind: 'time-out' }),
  '12025550107': () => ({ ...DELIVERED, delayMs: 2_000 }),
  '12025550108': () => ({ ...DELIVERED, throttledTries: 1 }),
};

/**
 * The nine numbers that the sandbox answers for every account, `+1 202 555 0100` to `0108`, in digits-only form (contract §5, §9, §12). Nobody
 * has them: they are reserved for fiction.
 */
export const MAGIC_RECIPIENTS: readonly string[] = Array.from({ length: 9 }, (_unused, index) => `1202555010${index}`);

const magic = new Set(MAGIC_RECIPIENTS);

/** Whether a recipient (digits only) is one of them. */
export function isMagic(recipient: string): boolean {
  return magic.has(recipient);
}

/** Why the sandbox answers for a recipient (digits only), which it does: for its own numbers whatever is connected, and else where nothing is. */
export function whySandbox(recipient: string): string {
  return isMagic(recipient)
    ? 'The sandbox takes it: the number is one of its test numbers.'
    : 'The sandbox takes it: the account has no connection, and none is shared.';
}

/** The act for an attempt to a recipient (digits only) on a channel; every number that is not magic is delivered to. */
export function actFor(recipient: string, channel: Channel): SandboxAct {
  return ACTS[recipient]?.(channel) ?? DELIVERED;
}
