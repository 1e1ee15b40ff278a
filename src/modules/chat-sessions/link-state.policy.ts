/** How a session is, as the line of its connection is told. Pure. */
import type { LinkState } from '../../channels/contract.ts';
import type { ChatSession } from './chat-session.entity.ts';

const NOT_LINKED =
  'The number is not linked. Link its phone on the page Connections, or by: npx heliograph connection link <connectionId>';

/** The state. @param fault why no session can be opened in this process; null: one can */
export function linkStateOf(
  session: Pick<ChatSession, 'state' | 'isOpen' | 'error'> | null,
  fault: string | null,
): LinkState {
  if (session?.state === 'linked') {
    if (session.isOpen) return { isUp: true, error: null };
    return { isUp: false, error: fault ?? session.error ?? 'The connection to WhatsApp is being opened.' };
  }
  return { isUp: false, error: fault ?? session?.error ?? NOT_LINKED };
}
