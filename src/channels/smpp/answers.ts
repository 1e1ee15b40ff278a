/** What may become of what an SMSC is asked. */
import type { Pdu } from './codec/pdu.ts';

/** The SMSC refused the bind. */
export class BindRefused extends Error {
  /** `command_status` of its answer. */
  readonly status: number;
  constructor(status: number, words: string) {
    super(`the SMSC refused the bind (${words})`);
    this.name = 'BindRefused';
    this.status = status;
  }
}

/** A request without an answer: the SMSC may have it, but for `not_bound`. */
export interface Lost {
  readonly command: null;
  readonly code: 'timeout' | 'connection_broken' | 'not_bound';
}

/** What became of a submit. `generic_nack`: the SMSC could not read it. */
export type SubmitAnswer = Pdu<'submit_sm_resp'> | Pdu<'generic_nack'> | Lost;
