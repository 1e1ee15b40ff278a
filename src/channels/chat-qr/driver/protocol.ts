/**
 * The messages between the gateway and the driver of QR chats, a process of its own. The library of the chat is not loaded into the gateway. They go over
 * the IPC channel of a fork, as JSON. A number is named by the id of its connection.
 */

/** The fields of a command that names a number. */
interface OfNumber {
  readonly connectionId: string;
}

/** How a number is linked: by a picture that the phone scans, or by a code that is typed into it. */
export const LINK_METHODS = ['QR', 'PAIRING_CODE'] as const;

/** How a number is linked. */
export type LinkMethod = (typeof LINK_METHODS)[number];

/** The recipient of a text. One of both is there. */
export interface ChatRecipient {
  /** Digits only; null: it is not known. */
  readonly number: string | null;
  /** The chat's own id, such as `12345@lid`; null: it is not known. */
  readonly userId: string | null;
}

/** A message of the gateway to the driver. */
export type Command =
  /**
   * Opens the one socket of a number, for `leaseMs` from now on. `creds`: as `set` gave them; null: it is not linked. `link`: it is to be linked, the digits
   * of the phone beside it.
   */
  | (OfNumber & {
      readonly type: 'open';
      readonly creds: string | null;
      readonly link: { readonly method: LinkMethod; readonly number: string } | null;
      readonly leaseMs: number;
    })
  /** Goes on with a number for `leaseMs` from now on. Once that time is over, the driver closes the socket by itself, and sends nothing. */
  | (OfNumber & { readonly type: 'lease'; readonly leaseMs: number })
  /** Closes the socket of a number. `unlink`: the chat is told that this device is none any more. Answered by `closed`. */
  | (OfNumber & { readonly type: 'close'; readonly unlink: boolean })
  /**
   * Sends a text. `isKnown`: the recipient is known to be on the chat, and is not looked up. `ackMs`: how long the server may take to acknowledge it.
   * Answered by `sent`.
   */
  | (OfNumber & {
      readonly type: 'send';
      readonly call: number;
      readonly to: ChatRecipient;
      readonly text: string;
      readonly messageId: string;
      readonly isKnown: boolean;
      readonly ackMs: number;
    })
  /** Nobody waits for a text any more: nothing of it may leave from now on. Answered by its `sent`; of what has left `reports` tell later. */
  | (OfNumber & { readonly type: 'cancel'; readonly messageId: string })
  /** Asks the server what it lets a number do. Answered by `limits`. */
  | (OfNumber & { readonly type: 'askLimits'; readonly call: number })
  /** The answer to what the driver asked: the values of `get`, by id; null for what was to be stored, and is. */
  | { readonly type: 'answer'; readonly call: number; readonly values: Readonly<Record<string, string>> | null }
  /**
   * The driver's question could not be done: nothing that depends on it may be sent. After that of `get` or `set` the driver closes the socket (`closed`, with
   * null), and the number is opened anew from what is stored. Told again are `reports` and `inbound`. `isUnheard`: the gateway does not have the number.
   */
  | { readonly type: 'refusal'; readonly call: number; readonly isUnheard: boolean };

/** One key of a number: its kind, its id, and its value as text; null: it is gone. */
export type KeyRow = readonly [kind: string, id: string, value: string | null];

/** A text that a person wrote. */
export interface ChatInbound extends ChatRecipient {
  readonly messageId: string;
  /** The name that the person shows; null: none. */
  readonly username: string | null;
  /** `text`, or the kind of what else it is (`image`, `location`, `button` …). */
  readonly kind: string;
  /** The text, the caption or the label; null: it has none. */
  readonly text: string | null;
  /** The id of the message that it quotes; null: it quotes none. */
  readonly quotes: string | null;
}

/** A later status of a text of ours. */
export interface ChatReport {
  readonly messageId: string;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  /** The server's code of a failure; null: it gave none, or nothing failed. */
  readonly code: string | null;
}

/**
 * The end of a text's way. `acked`: the server has it. `refused`: the server does not take it, by its code. `absent`: the recipient is not on the chat.
 * `unsent`: nothing of it has left. `unknown`: it has left, and nobody acknowledged it.
 */
export type Sent =
  | { readonly kind: 'acked' | 'absent' | 'unsent' | 'unknown' }
  | { readonly kind: 'refused'; readonly code: string };

/** The limits that the server has set to a number. */
export interface ChatLimits {
  /** Whether new people cannot be written to. */
  readonly isLocked: boolean;
  /** When that ends, in milliseconds since 1970; null: it is not locked, or no time is told. */
  readonly lockedUntilMs: number | null;
  /** How many new chats it may begin in the server's period; null: not told. */
  readonly newChats: number | null;
  /** How many of those it has begun; null: not told. */
  readonly newChatsUsed: number | null;
  /** When that period ends, in milliseconds since 1970; null: not told. */
  readonly newChatsUntilMs: number | null;
}

/** A message of the driver to the gateway. */
export type News =
  /** The driver has loaded the library, and takes commands. */
  | { readonly type: 'ready' }
  /** Asks for keys of a number, of one kind. */
  | (OfNumber & { readonly type: 'get'; readonly call: number; readonly kind: string; readonly ids: readonly string[] })
  /** Stores what belongs together, all or nothing: keys, and the credentials where they changed. Nothing is sent before the answer. */
  | (OfNumber & {
      readonly type: 'set';
      readonly call: number;
      readonly keys: readonly KeyRow[];
      readonly creds: string | null;
    })
  /** A code by which the number can be linked, good for `lastsMs`. A secret. */
  | (OfNumber & { readonly type: 'code'; readonly method: LinkMethod; readonly code: string; readonly lastsMs: number })
  /**
   * The phone has taken the code: this is its number, in digits. The device is linked once its credentials are stored: the server ends the socket next (515),
   * and it is opened again. A phone with another number than the wanted one gets no answer, and the driver closes the socket.
   */
  | (OfNumber & { readonly type: 'paired'; readonly number: string })
  /** The socket is open, and takes texts. */
  | (OfNumber & { readonly type: 'opened' })
  /** The socket is closed, with the server's code; null: by our own wish, or as the lease was over. */
  | (OfNumber & { readonly type: 'closed'; readonly code: number | null })
  /** The answer to `send`. */
  | { readonly type: 'sent'; readonly call: number; readonly outcome: Sent }
  /** The answer to `askLimits`; null: the server did not answer it. */
  | { readonly type: 'limits'; readonly call: number; readonly limits: ChatLimits | null }
  /** Later statuses. */
  | (OfNumber & { readonly type: 'reports'; readonly call: number; readonly reports: readonly ChatReport[] })
  /** Texts that people wrote. */
  | (OfNumber & { readonly type: 'inbound'; readonly call: number; readonly messages: readonly ChatInbound[] });
