/** How a session is: as the line of its connection is told, and whether the server has locked it. Pure. */
import type { LinkState } from '../../channels/contract.ts';
import type { ChatSession } from './chat-session.entity.ts';

const NOT_LINKED =
  'The number is not linked. Link its phone on the page Connections, or by: npx heliograph connection link <connectionId>';

/** Whether a session takes texts: its owner says so, and has been heard of within its lease. */
export function isOpen({ isOpen, leaseUntil }: Pick<ChatSession, 'isOpen' | 'leaseUntil'>, now: Date): boolean {
  return isOpen && leaseUntil != null && leaseUntil > now;
}

/** The state. @param fault why no session can be opened in this process; null: one can */
export function linkStateOf(
  session: Pick<ChatSession, 'state' | 'isOpen' | 'leaseUntil' | 'error'> | null,
  fault: string | null,
  now: Date,
): LinkState {
  if (session?.state === 'linked') {
    if (isOpen(session, now)) return { isUp: true, error: null };
    return { isUp: false, error: fault ?? session.error ?? 'The connection to WhatsApp is being opened.' };
  }
  return { isUp: false, error: fault ?? session?.error ?? NOT_LINKED };
}

/** Whether the server lets the number write to nobody new. A lock ends by its time, whether or not the server was asked since. */
export function isLocked(
  { lockedSince, lockedUntil }: Pick<ChatSession, 'lockedSince' | 'lockedUntil'>,
  now: Date,
): boolean {
  return lockedSince != null && (lockedUntil == null || lockedUntil > now);
}
