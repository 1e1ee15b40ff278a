/** Confirmations of sends: proof that the very same send was looked at by a dry run of this process. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A giver of confirmations, which knows its own. */
export interface Confirmations {
  /** A new confirmation of this input. */
  give(input: object): string;
  /** The nonce of a confirmation that was given for this very input; null: it was not. */
  nonceOf(confirmation: string, input: object): string | null;
}

/** Makes confirmations with a key of its own, so that nothing is kept. */
export function createConfirmations(): Confirmations {
  const key = randomBytes(32);
  const proofOf = (nonce: string, input: object): string =>
    createHmac('sha256', key)
      .update(`${nonce}.${JSON.stringify(input)}`)
      .digest('hex');
  return {
    give(input) {
      const nonce = `mcp-${randomBytes(12).toString('hex')}`;
      return `${nonce}.${proofOf(nonce, input)}`;
    },
    nonceOf(confirmation, input) {
      const [nonce = '', proof = ''] = confirmation.split('.');
      const [given, made] = [Buffer.from(proof), Buffer.from(proofOf(nonce, input))];
      return given.length === made.length && timingSafeEqual(given, made) ? nonce : null;
    },
  };
}
