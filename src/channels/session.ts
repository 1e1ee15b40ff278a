/** The session face of a provider: a number that is connected in one process at a time, by keys that the gateway keeps. */
import type { ChatLimits, ChatRecipient, KeyRow, LinkMethod } from './chat-qr/driver/protocol.ts';
import type { SendOutcome } from './outcome.ts';

/** The ways in which a session is over until a person does something. */
export const ENDED_STATES = ['relink', 'banned', 'replaced', 'outdated'] as const;

/** How a session ended. */
export type EndedState = (typeof ENDED_STATES)[number];

/** A change of a session. */
export type SessionChange =
  /** A code by which the number can be linked, good for `lastsMs`. A secret. */
  | { readonly kind: 'code'; readonly method: LinkMethod; readonly code: string; readonly lastsMs: number }
  /** The number is linked. */
  | { readonly kind: 'linked' }
  /** The session takes texts. */
  | { readonly kind: 'open' }
  /** The session takes no texts for now. `error` says why, in a sentence; `retryInMs`: when it is opened again. */
  | { readonly kind: 'down'; readonly error: string; readonly retryInMs: number }
  /** The server has refused a text to somebody new, perhaps long after that left: the number may write to nobody new. */
  | { readonly kind: 'restricted' }
  /** Nothing more is tried. `wipes`: what it was made of is worth nothing any more. */
  | { readonly kind: 'ended'; readonly state: EndedState; readonly error: string; readonly wipes: boolean }
  /** The number could not be linked in time. The host ends the session, unless it has stored what a phone signed. */
  | { readonly kind: 'unlinked'; readonly error: string };

/** The part of the gateway that a session is given. */
export interface SessionHost {
  /** The values of keys of one kind, by id. Rejects where they cannot be read. */
  get(kind: string, ids: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Stores what belongs together, all or nothing. Rejects where it is not stored, as where another process owns the session. */
  keep(keys: readonly KeyRow[], creds: string | null): Promise<void>;
  onChange(change: SessionChange): void;
}

/** How a session begins. */
export interface SessionStart {
  /** The credentials as they were kept last; null: the number is not linked. */
  readonly creds: string | null;
  /** How the number is to be linked; null: it is. */
  readonly link: LinkMethod | null;
  /** How long this process owns the session. */
  readonly leaseMs: number;
}

/** A text for a session. */
export interface SessionText {
  readonly attemptId: string;
  readonly to: ChatRecipient;
  readonly text: string;
  /** Whether the recipient is known to be on the chat: nobody is asked. */
  readonly isKnown: boolean;
}

/** A session that this process owns. */
export interface OwnedSession {
  /** Goes on for so long from now on. */
  extend(leaseMs: number): void;
  /** Sends a text. Rejects never. */
  send(text: SessionText, signal: AbortSignal): Promise<SendOutcome>;
  /** Asks what the server lets the number do; null: it does not say. */
  askLimits(): Promise<ChatLimits | null>;
  /** Ends it. `unlink`: the chat is told that this device is none any more. False: nobody knows whether its socket is closed. */
  end(unlink: boolean): Promise<boolean>;
}

/** The pace of a number. */
export interface SessionPace {
  /** How many texts a minute it sends. */
  readonly perMinute: number;
  /** How many people it writes to first within 24 hours, once it is a week old. */
  readonly newPeoplePerDay: number;
}

/** A provider whose number is connected in one process at a time. */
export interface SessionFace extends SessionPace {
  /** The number, in digits. */
  readonly number: string;
  /** Why no session can be opened here, in a sentence that says what to do; null: one can. */
  fault(): string | null;
  begin(host: SessionHost, start: SessionStart): OwnedSession;
}

/** A step of a link, for a person who links a number. */
export interface LinkStep {
  /** The phone is to take a code; it has; or it was not linked. */
  readonly state: 'code' | 'linked' | 'failed';
  /** How the phone takes the code; null: there is none now. */
  readonly method: LinkMethod | null;
  /** A secret; null: there is none now. */
  readonly code: string | null;
  /** How long the code is good; null: there is none. */
  readonly expiresAt: Date | null;
  /** Why it failed, in a sentence; null: it has not. */
  readonly error: string | null;
}

/** The step that says why a number was not linked. */
export function failedLink(error: string): LinkStep {
  return { state: 'failed', method: null, code: null, expiresAt: null, error };
}

/** The sessions of this gateway, for those who link numbers or ask what these may do. */
export interface SessionLinks {
  /** Links the number of a connection; the last step is `linked` or `failed`. Ended before, the link is given up. */
  link(connectionId: string, method: LinkMethod, signal: AbortSignal): AsyncGenerator<LinkStep, void>;
  /** Has the chat of a connection told that its session was ended, where this process has its socket. Nobody waits for that. */
  tellUnlinked(connectionId: string): void;
  /** Why the number of a connection may not write to a person now, in a sentence; null: it may, or there is no such number. */
  holdOf(connectionId: string, person: string): Promise<string | null>;
}
