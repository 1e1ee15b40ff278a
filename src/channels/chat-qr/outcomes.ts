/** The fate of a text on a QR-linked chat, as an outcome of the gateway. */
import { sentenceOf } from '../../kernel/attempt-errors.ts';
import { failure, type SendOutcome } from '../outcome.ts';
import type { Sent } from './driver/protocol.ts';

/** Nothing has left: the number is not connected. */
export const NOT_CONNECTED: SendOutcome = failure('unavailable', 'not_connected');

/** The text may have left, and nobody will know soon. */
export const NO_ACK: SendOutcome = failure('unknown', 'no_ack');

/** The code of the server for a number that may write to nobody new. */
export const RESTRICTED = '463';

/** Our code for one of the server's. */
export function codeOf(code: string): string {
  return code === RESTRICTED ? 'number_restricted' : `chat_${code}`;
}

/** The outcome. A refusal is the number's, and not the recipient's: the next connection is asked. */
export function outcomeOf(sent: Sent, messageId: string): SendOutcome {
  switch (sent.kind) {
    case 'acked':
      return { kind: 'accepted', providerMessageId: messageId };
    case 'absent':
      return failure('rejected', 'recipient_not_found');
    case 'unsent':
      return NOT_CONNECTED;
    case 'unknown':
      return NO_ACK;
    case 'refused': {
      const code = codeOf(sent.code);
      return { kind: 'rejected', code, message: sentenceOf(code), isOwn: true };
    }
  }
}
