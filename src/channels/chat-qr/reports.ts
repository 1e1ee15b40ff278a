/** Later statuses of texts on a QR-linked chat, as reports of the gateway. */
import type { Report } from '../contract.ts';
import type { ChatReport } from './driver/protocol.ts';
import { attemptIdOf } from './message-id.ts';
import { codeOf } from './outcomes.ts';

/** The report; none: the message is not ours, as one that the phone itself has sent. */
export function reportOf({ messageId, status, code }: ChatReport): Report[] {
  const attemptId = attemptIdOf(messageId);
  if (attemptId === null) return [];
  const errorCode = status === 'failed' ? (code === null ? 'undelivered' : codeOf(code)) : null;
  return [{ providerMessageId: messageId, attemptId, status, errorCode, errorMessage: null }];
}
