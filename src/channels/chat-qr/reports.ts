/** The news of a QR-linked chat as the gateway has them: later statuses of texts, and texts that people wrote. */
import type { Inbound, Report } from '../contract.ts';
import type { ChatInbound, ChatReport } from './driver/protocol.ts';
import { attemptIdOf } from './message-id.ts';
import { codeOf } from './outcomes.ts';

/** The report; none: the message is not ours, as one that the phone itself has sent. */
export function reportOf({ messageId, status, code }: ChatReport): Report[] {
  const attemptId = attemptIdOf(messageId);
  if (attemptId === null) return [];
  const errorCode = status === 'failed' ? (code === null ? 'undelivered' : codeOf(code)) : null;
  return [{ providerMessageId: messageId, attemptId, status, errorCode, errorMessage: null }];
}

/** A text that a person wrote to a number. */
export function inboundOf(
  { messageId, number, userId, username, kind, text, quotes }: ChatInbound,
  to: string,
): Inbound {
  return {
    providerMessageId: messageId,
    from: number ?? userId ?? '',
    ...(userId !== null && { userId }),
    ...(username !== null && { username }),
    to,
    type: kind,
    text,
    ...(quotes !== null && { quotes }),
  };
}
