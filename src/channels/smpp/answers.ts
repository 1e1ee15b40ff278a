/** Requests to an SMSC, and their ends: an answer, a refusal, silence, or a closed connection. */
import { noAnswerFrom, type Place } from '../faults.ts';
import type { Command } from './codec/commands.ts';
import type { Pdu } from './codec/pdu.ts';
import { statusName } from './statuses.ts';

/** Sequence numbers go from 1 to this, and begin again (§3.2). */
const SEQUENCE_MAX = 0x7fffffff;

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
  /** Of a submit whose time is over: the answer that may come all the same. */
  readonly late?: Promise<Pdu<'submit_sm_resp'>>;
}

/** How many submits are remembered whose time is over. */
const OVERDUE_MAX = 1_000;

/** The end of a submit. `generic_nack`: the SMSC could not read it. */
export type SubmitAnswer = Pdu<'submit_sm_resp'> | Pdu<'generic_nack'> | Lost;

interface Asked {
  /** The command by which it is answered. */
  readonly answer: Command;
  readonly settle: (answer: Pdu | Lost) => void;
  /** Until when it may be answered, by `performance.now()`. */
  readonly untilMs: number;
}

/** The requests of a session that have no answer yet. */
export class AskedRequests {
  readonly #timeoutMs: number;
  readonly #onLate: (isSilent: boolean) => void;
  /** By sequence number, the oldest first: its time is over first. */
  readonly #asked = new Map<number, Asked>();
  /** Submits whose time is over, the oldest first: the SMSC may take their texts yet, by ids that receipts will name. */
  readonly #overdue = new Map<number, (answer: Pdu<'submit_sm_resp'>) => void>();
  /** Runs while there is any: one for all, since a timer for each costs as much as all else here. */
  #clock: NodeJS.Timeout | null = null;
  #sequence = 0;

  /** @param onLate told when some were not answered in time, and whether submits are among them */
  constructor(timeoutMs: number, onLate: (isSilent: boolean) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
  }

  /** How many there are. */
  get size(): number {
    return this.#asked.size;
  }

  /** A number for the next request. */
  nextSequence(): number {
    do this.#sequence = this.#sequence === SEQUENCE_MAX ? 1 : this.#sequence + 1;
    while (this.#asked.has(this.#sequence));
    return this.#sequence;
  }

  /** Adds a request; answers what comes of it, and never rejects. */
  add(sequence: number, answer: Command): Promise<Pdu | Lost> {
    this.#clock ??= setTimeout(() => this.#tick(), this.#timeoutMs);
    return new Promise(settle => {
      this.#asked.set(sequence, { answer, settle, untilMs: performance.now() + this.#timeoutMs });
    });
  }

  /** Takes an answer. Throws at one that does not fit its request. */
  settle(pdu: Pdu): void {
    const asked = this.#asked.get(pdu.sequence);
    if (!asked) {
      if (pdu.command === 'submit_sm_resp') this.#overdue.get(pdu.sequence)?.(pdu as Pdu<'submit_sm_resp'>);
      return;
    }
    if (pdu.command !== asked.answer && pdu.command !== 'generic_nack')
      throw new RangeError(`the SMSC sent ${pdu.command} for ${asked.answer}`);
    this.#asked.delete(pdu.sequence);
    asked.settle(pdu);
  }

  /** Ends all: the connection is no more. */
  breakOff(): void {
    if (this.#clock) clearTimeout(this.#clock);
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { settle } of asked) settle({ command: null, code: 'connection_broken' });
  }

  /** Ends what was not answered in time, and waits for the next. */
  #tick(): void {
    this.#clock = null;
    const nowMs = performance.now();
    let isSilent = false;
    for (const [sequence, { answer, settle, untilMs }] of this.#asked) {
      // Timers may be a little early.
      const leftMs = Math.ceil(untilMs - nowMs);
      if (leftMs > 0) {
        this.#clock = setTimeout(() => this.#tick(), leftMs);
        break;
      }
      this.#asked.delete(sequence);
      const isSubmit = answer === 'submit_sm_resp';
      settle({ command: null, code: 'timeout', ...(isSubmit && { late: this.#lateAnswer(sequence) }) });
      isSilent ||= isSubmit;
    }
    this.#onLate(isSilent);
  }

  #lateAnswer(sequence: number): Promise<Pdu<'submit_sm_resp'>> {
    const [oldest] = this.#overdue.keys();
    if (this.#overdue.size === OVERDUE_MAX && oldest !== undefined) this.#overdue.delete(oldest);
    return new Promise(resolve => this.#overdue.set(sequence, resolve));
  }
}
