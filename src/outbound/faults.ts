/** Why a request to a customer's endpoint failed, as the customer is told: a code, and a sentence that names the mend. */
import { errors } from 'undici';

/** The codes: what of the way to the answer failed. */
export const OUTBOUND_FAULTS = [
  'timeout',
  'dns_failed',
  'address_refused',
  'connection_failed',
  'tls_failed',
  'response_invalid',
  'stopped',
] as const;

/** A code of the table. */
export type OutboundFault = (typeof OUTBOUND_FAULTS)[number];

/** A request that failed. `message` is for the customer: it holds no address but what the customer wrote. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;
  /** For `address_refused`: what is wrong with the URL, as the mend of the field that holds it (`must be …`). */
  readonly mend: string | null;

  constructor(fault: OutboundFault, message: string, mend: string | null = null) {
    super(message);
    this.name = 'OutboundError';
    this.fault = fault;
    this.mend = mend;
  }
}

/** The URL may not be used. */
export function refused(mend: string): OutboundError {
  return new OutboundError('address_refused', `The URL ${mend}.`, mend);
}

/** The deadline passed; `stage` is what took so long. */
export function timedOut(host: string, deadlineMs: number, stage: 'connect' | 'answer'): OutboundError {
  const seconds = deadlineMs / 1_000;
  return new OutboundError(
    'timeout',
    stage === 'connect'
      ? `No connection to ${host} within ${seconds} s. Check that the endpoint is running and can be reached from outside.`
      : `${host} had not answered completely within ${seconds} s. Answer with 2xx first, and do the work after that.`,
  );
}

/** The gateway itself ends. */
export function stopping(): OutboundError {
  return new OutboundError(
    'stopped',
    'The gateway was stopped before the answer came. Nothing is to be done: it is tried again.',
  );
}

/** The answer could not be understood, or would not end. */
export function responseInvalid(): OutboundError {
  return new OutboundError(
    'response_invalid',
    'The answer is not valid HTTP/1.1, or its headers are too large. Answer with a short, complete HTTP/1.1 response.',
  );
}

/** There was no way to the host, whose port is named too: mostly it is what is wrong. `code` is the system's word for it (`ECONNREFUSED`). */
export function connectionFailed(authority: string, code: string | null): OutboundError {
  const why = code === 'ECONNREFUSED' ? 'was refused' : 'failed';
  return new OutboundError(
    'connection_failed',
    `The connection to ${authority} ${why}${word(code)}. Check that the endpoint is running and can be reached from outside.`,
  );
}

/** The host did not prove who it is, or does not speak TLS: `code` is the library's word for it. */
export function tlsFailed(host: string, code: string | null): OutboundError {
  return new OutboundError(
    'tls_failed',
    `No secure connection to ${host} could be made${word(code)}. Install a valid certificate for this host, with its whole chain.`,
  );
}

/** The meaning of an error of the socket or of the HTTP client, once the connection stood. */
export function brokenOff(host: string, error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  // The client calls an interim answer that nobody asked for (100, 101) a bad response or a bad upgrade.
  const isBad = error instanceof errors.SocketError && error.message.startsWith('bad ');
  const isMalformed = error instanceof errors.HTTPParserError || /^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/.test(code ?? '');
  if (isBad || isMalformed) return responseInvalid();
  if (/^ERR_(?:SSL|TLS)_/.test(code ?? '')) return tlsFailed(host, code);
  return new OutboundError(
    'connection_failed',
    `The connection to ${host} broke off before the answer was complete. Let the endpoint answer before it closes the connection.`,
  );
}

/** The code of a system's or library's error; null where it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** A code in brackets. Codes are words of fixed lists, whereas messages of such errors hold addresses. */
function word(code: string | null): string {
  return code !== null && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
}
