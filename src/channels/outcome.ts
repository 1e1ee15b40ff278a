/** The outcome of a hand-over to a provider. */
import { type OwnCode, sentenceOf } from '../kernel/attempt-errors.ts';

/** The outcome of a send: a value where it is expected. `unknown`: the provider may have accepted it, so it is never sent again on that channel. */
export type SendOutcome =
  | {
      readonly kind: 'accepted';
      readonly providerMessageId: string;
      /** The provider's ids of the parts of a long text, where it reports each of them by itself; the first is `providerMessageId`. */
      readonly partIds?: readonly string[];
    }
  | {
      readonly kind: 'rejected';
      readonly code: string;
      readonly message: string;
      /** The reason is the connection's (its credentials, its credit, its rights), and not the recipient's or the text's: the next connection is asked. */
      readonly isOwn?: true;
    }
  | { readonly kind: 'throttled'; readonly code: string; readonly message: string; readonly retryAfterMs: number }
  | { readonly kind: 'unavailable'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'unknown';
      readonly code: string;
      readonly message: string;
      /** The ids of the parts of a long text of which it took some. One that it refused has an id that no receipt names. */
      readonly partIds?: readonly string[];
    };

/** A failure by a code of the gateway itself, with the sentence of that code. */
export function failure<Kind extends Exclude<SendOutcome['kind'], 'accepted'>>(kind: Kind, code: OwnCode) {
  return { kind, code, message: sentenceOf(code) };
}
