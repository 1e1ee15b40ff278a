/** The id of a message on the chat: that of its attempt as 32 hex digits, as some apps make them. News of it name the attempt. */
import { fromUuid, isUuid, toUuid } from '../../kernel/ids.ts';

const HEX = /^([0-9A-F]{8})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{4})([0-9A-F]{12})$/;

/** The id of a message. */
export function messageIdOf(attemptId: string): string {
  return toUuid(attemptId).replaceAll('-', '').toUpperCase();
}

/** The attempt of a message; null: its id is none of ours. */
export function attemptIdOf(messageId: string): string | null {
  const [, ...parts] = HEX.exec(messageId) ?? [];
  const uuid = parts.join('-').toLowerCase();
  return isUuid(uuid) ? fromUuid('att', uuid) : null;
}
