/** The ends of requests to an SMSC: an answer, a refusal, silence, or a closed connection. */
import { noAnswerFrom, type Place } from '../faults.ts';
import type { Pdu } from './codec/pdu.ts';
import { statusName } from './statuses.ts';

/** The mend of a refused bind, by `command_status`. */
const MENDS: Readonly<Record<number, string>> = {
  5: 'It is bound already: end what else binds so, or lower the sessions.',
  13: 'Check system id, password and system type, and how many sessions the SMSC allows.',
  14: 'Check the password.',
  15: 'Check the system id.',
  83: 'Check the system type.',
};

/** The SMSC refused the bind. */
export class BindRefused extends Error {
  /** `command_status` of its answer. */
  readonly status: number;
  constructor(status: number) {
    super(`The SMSC refused the bind (${statusName(status)}). ${MENDS[status] ?? 'Ask the provider what that means.'}`);
    this.name = 'BindRefused';
    this.status = status;
  }
}

/** The SMSC did not answer the bind in time. @param isConnecting whether it did not even connect */
export function lateBind(place: Place, isConnecting: boolean): Error {
  if (isConnecting) return new Error(noAnswerFrom(place));
  return new Error(
    `No answer to the bind came from ${place.authority}. Check the port, and whether TLS is wanted there.`,
  );
}

/** The SMSC closed the connection. @param isBound whether after the bind */
export function closed(isBound: boolean): Error {
  if (isBound) return new Error('The SMSC closed the connection.');
  const mend = 'Check whether TLS is wanted, and that it lets the gateway in.';
  return new Error(`The SMSC closed the connection before it answered the bind. ${mend}`);
}

/** A request without an answer: the SMSC may have it, but for `not_bound`. */
export interface Lost {
  readonly command: null;
  readonly code: 'timeout' | 'connection_broken' | 'not_bound';
}

/** The end of a submit. `generic_nack`: the SMSC could not read it. */
export type SubmitAnswer = Pdu<'submit_sm_resp'> | Pdu<'generic_nack'> | Lost;
