/** Why a provider could not be reached, in a sentence that says what to do. */

/** The address at which a provider was looked for, as its config has it. */
export interface Place {
  /** `smsc.example` */
  readonly host: string;
  /** With the port: `smsc.example:2775`. */
  readonly authority: string;
}

/** Stands for a place in what is told to those who may not know it. */
export const SOMEWHERE: Place = {
  host: 'that its connection gives',
  authority: 'the address that its connection gives',
};

type Sentence = (place: Place) => string;

const NO_ANSWER: Sentence = ({ authority }) =>
  `No answer came from ${authority}. Check host and port, and that no firewall keeps the gateway out.`;
const NO_WAY: Sentence = ({ authority }) =>
  `There is no way to ${authority} from here. Check the host, and the network of the gateway.`;
const CLOSED: Sentence = ({ authority }) =>
  `The connection was closed by ${authority}. Check the port, whether it wants TLS, and that it lets the gateway in.`;
const UNKNOWN_SIGNER: Sentence = ({ authority }) =>
  `The certificate of ${authority} is signed by nobody who is believed. Check the host, or give the certificate of who signed it.`;
const NO_TLS: Sentence = ({ authority }) =>
  `No TLS is spoken by ${authority}. Check the port, and whether TLS is wanted there.`;

/** By the system's or the library's word. */
const SENTENCES: ReadonlyMap<string, Sentence> = new Map([
  ['ENOTFOUND', ({ host }) => `No host has the name ${host}. Check the host.`],
  ['ENODATA', ({ host }) => `No host has the name ${host}. Check the host.`],
  [
    'EAI_AGAIN',
    ({ host }) => `The name ${host} could not be looked up. Check the host, and the network of the gateway.`,
  ],
  ['ECONNREFUSED', ({ authority }) => `Nothing listens at ${authority}. Check the port, and that the provider is up.`],
  ['ETIMEDOUT', NO_ANSWER],
  ['UND_ERR_CONNECT_TIMEOUT', NO_ANSWER],
  ['EHOSTUNREACH', NO_WAY],
  ['ENETUNREACH', NO_WAY],
  ['EADDRNOTAVAIL', NO_WAY],
  ['ECONNRESET', CLOSED],
  ['EPIPE', CLOSED],
  ['UND_ERR_SOCKET', CLOSED],
  [
    'CERT_HAS_EXPIRED',
    ({ authority }) => `The certificate of ${authority} has expired. Ask the provider for a new one.`,
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    ({ authority }) => `The certificate of ${authority} is for another name. Check the host.`,
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_SIGNER],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_SIGNER],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_SIGNER],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_SIGNER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_SIGNER],
  ['EPROTO', NO_TLS],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
]);

/** The sentence of an error. Several addresses that all fail are one error with the word of the first. */
export function unreachable(error: unknown, place: Place): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = SENTENCES.get(code);
  if (known) return known(place);
  // Words of these lists are fixed, whereas messages of such errors hold addresses.
  const word = /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
  return `The connection to ${place.authority} failed${word}. Check host and port.`;
}

/** The sentence of a place that took too long. */
export const noAnswerFrom: (place: Place) => string = NO_ANSWER;
