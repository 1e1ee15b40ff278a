/** The verdict on a closed socket of a number, by the code of the server (Baileys: `DisconnectReason`). Pure. */
import type { EndedState } from '../session.ts';

/** The first wait before a number is opened again, and the longest. */
const RETRY_MIN_MS = 2_000;
const RETRY_MAX_MS = 300_000;

/** The verdict on a close: the number is opened again after a while, or it is over until a person does something. */
export type CloseVerdict =
  | { readonly kind: 'retry'; readonly inMs: number; readonly error: string }
  | { readonly kind: 'end'; readonly state: EndedState; readonly wipes: boolean; readonly error: string };

/** The mend of a number that is not linked any more. */
export const AGAIN = 'Link it again.';

/** Codes that end a session. */
const ENDS: ReadonlyMap<number, Omit<Extract<CloseVerdict, { kind: 'end' }>, 'kind'>> = new Map([
  [401, { state: 'relink', wipes: true, error: `The phone has removed this device. ${AGAIN}` }],
  [411, { state: 'relink', wipes: true, error: `The phone's app does not let this device in any more. ${AGAIN}` }],
  [403, { state: 'banned', wipes: false, error: 'WhatsApp has banned this number. Ask in its app for a review.' }],
  [
    440,
    {
      state: 'replaced',
      wipes: false,
      error: 'Another program has opened this number with the same keys. End it there, then link the number again.',
    },
  ],
  [
    405,
    {
      state: 'outdated',
      wipes: false,
      error: 'WhatsApp does not take this version of its protocol any more. Install a newer Heliograph.',
    },
  ],
] as const);

/** The server asks for another socket at once, as after a number was linked. */
export const RESTART = 515;

/** The keys of the session are worth nothing to the server. */
const BAD_SESSION = 500;

/** A hiccup of the server is tried once more. */
const BAD_SESSIONS_MAX = 1;

/**
 * Judges a close. @param code the server's; null: none was told @param failures how many closes there were since it stayed open last, this one included
 * @param badSessions how many of them in a row had the code 500
 * @param draw a random number from 0 to 1: processes and numbers do not come back together
 */
export function verdictOf(code: number | null, failures: number, badSessions: number, draw: number): CloseVerdict {
  const end = ENDS.get(code ?? 0);
  if (end) return { kind: 'end', ...end };
  if (code === BAD_SESSION && badSessions > BAD_SESSIONS_MAX)
    // The server says so of what it does not know, too: the keys stay until the number is linked again.
    return { kind: 'end', state: 'relink', wipes: false, error: `The session of this number is broken. ${AGAIN}` };
  const told = code === null ? '' : ` (${code})`;
  const error = `The connection to WhatsApp was closed${told}. It is opened again by itself.`;
  if (code === RESTART && failures === 1) return { kind: 'retry', inMs: 0, error };
  const waitMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(failures - 1, 10));
  return { kind: 'retry', inMs: Math.round(waitMs * (0.5 + draw / 2)), error };
}
