/** The magic recipients of the sandbox (contract §9): their outcome and later status. */
import type { Channel } from '../../kernel/channel.ts';
import type { Receipt } from '../contract.ts';

type SandboxAct =
  | {
      readonly kind: 'accept';
      readonly delayMs: number;
      readonly throttledTries: number;
      readonly later: Receipt['status'];
    }
  | { readonly kind: 'reject'; readonly code: string; readonly message: string }
  | { readonly kind: 'time-out' };

const DELIVERED: SandboxAct & { kind: 'accept' } = {
  kind: 'accept',
  delayMs: 0,
  throttledTries: 0,
  later: 'delivered',
};
const SMS_REFUSED: SandboxAct = {
  kind: 'reject',
  code: 'recipient_refused',
  message: 'The recipient does not take SMS.',
};
const NOT_ON_CHAT: SandboxAct = {
  kind: 'reject',
  code: 'recipient_not_found',
  message: 'The recipient is not on this chat.',
};

/** What the sandbox does with an attempt to this recipient (digits only) on this channel. */
export function actFor(recipient: string, channel: Channel): SandboxAct {
  switch (recipient) {
    case '12025550101':
      return channel === 'sms' ? SMS_REFUSED : DELIVERED;
    case '12025550102':
      return channel === 'chat_qr' ? NOT_ON_CHAT : DELIVERED;
    case '12025550103':
      return channel === 'sms' ? DELIVERED : NOT_ON_CHAT;
    case '12025550104':
      return channel === 'sms' ? SMS_REFUSED : NOT_ON_CHAT;
    case '12025550105':
      return { ...DELIVERED, later: 'failed' };
    case '12025550106':
      return { kind: 'time-out' };
    case '12025550107':
      return { ...DELIVERED, delayMs: 2_000 };
    case '12025550108':
      return { ...DELIVERED, throttledTries: 1 };
    default:
      return DELIVERED;
  }
}
