/** The line of a connection in this process: its provider, opened when it is needed, behind its breaker. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ConnectionServices, Provider, ProviderDefinition, SendRequest } from '../../../channels/contract.ts';
import { BROKEN_OFF, PROVIDER_DEADLINE_MS, TIMED_OUT } from '../../../channels/dispatch.ts';
import { failure, type SendOutcome } from '../../../channels/outcome.ts';
import { publicMessage } from '../../../kernel/attempt-errors.ts';
import type { TemplateFault, TemplateKey } from '../../../kernel/process/cloud-templates.ts';
import { Breaker, type BreakerState } from './breaker.ts';

/** The answer while the breaker is open: the provider is not asked. */
const DOWN = failure('unavailable', 'connection_down');

/** The answer of a line that takes no texts: the provider is not asked. */
const NOT_OPEN: Extract<SendOutcome, { kind: 'unavailable' }> = {
  kind: 'unavailable',
  code: 'connection_closed',
  message: 'The connection was removed, or has not ended what went by its former config.',
};

/** The answer of a line whose number sends as much as it may: the provider is not asked. */
const TOO_MANY: SendOutcome = {
  kind: 'throttled',
  code: 'throttled',
  message: 'The number sends as much as it may, and its next turn comes too late.',
  // Another connection is asked at once: this one has waited as long as it may.
  retryAfterMs: PROVIDER_DEADLINE_MS,
};

/**
 * How long texts wait, after a change, for what is under way by the former config; then the next connection is asked. This wait and
 * the first bind together leave most of the deadline of an attempt.
 */
const TURN_MS = 3_000;

interface LineParts {
  readonly definition: ProviderDefinition<unknown>;
  /** As its provider's schema has checked it. */
  readonly config: unknown;
  readonly services: Omit<ConnectionServices, 'onLink'>;
  /** Waits for a turn of its number; false: none comes soon enough. */
  takeTurn(number: string, perSecond: number, signal: AbortSignal): Promise<boolean>;
  /** Why a template cannot be sent; null: nothing is known against it. */
  templateFault(template: TemplateKey): TemplateFault | null;
  /** Whether no process has used the connection yet. */
  readonly isUnused: boolean;
  /** Told when it goes up or down. */
  onHealth(state: BreakerState): void;
}

/** The line of one connection, for as long as its config stays: a new config gets a new line. */
export class Line {
  readonly breaker: Breaker;
  /** Its provider, which its first send connects. */
  readonly provider: Provider;
  readonly #raw: Provider;
  readonly #takeTurn: LineParts['takeTurn'];
  readonly #templateFault: LineParts['templateFault'];
  #isWanted = false;
  #closed: Promise<void> | null = null;
  /** Takes the texts that this one takes no more. */
  #next: Line | null = null;
  /** Resolves when the line before it has ended; null: it has. */
  #before: Promise<void> | null = null;
  /** Resolves when texts wait for that no longer. */
  #turn: Promise<void> | null = null;

  /** @param before the line of the former config, which ends now: an SMSC may allow one bind, so that this one connects when it has */
  constructor(parts: LineParts, before: Line | null = null) {
    const { definition, config, services, takeTurn, templateFault, isUnused, onHealth } = parts;
    this.#takeTurn = takeTurn;
    this.breaker = new Breaker(onHealth, undefined, { isUnused });
    const raw = definition.create(config, { ...services, onLink: state => this.breaker.noteLink(state) });
    this.#raw = raw;
    this.#templateFault = templateFault;
    this.provider = {
      ...raw,
      send: (request, signal) => this.#inTurn(request, signal, line => line.#inPace(request, signal)),
      close: () => this.close(),
    };
    if (before) this.#follow(before);
  }

  /** Connects it, if it stands (SMPP). */
  connect(): void {
    if (!this.#before && !this.#isWanted && !this.#closed) this.#raw.open?.();
    this.#isWanted = true;
  }

  /** Sends past the breaker, for whoever tries it by hand; what comes of it counts. */
  try(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    return this.#inTurn(request, signal, async line => {
      const outcome = await line.#raw.send(request, signal);
      line.breaker.note('try', tellingNothing(outcome));
      return outcome;
    });
  }

  /** Closes the provider once, after the sends under way. The line takes no more texts. */
  close(): Promise<void> {
    this.#closed ??= Promise.resolve(this.#before).then(() => this.#raw.close?.());
    return this.#closed;
  }

  #follow(before: Line): void {
    before.#next = this;
    this.#before = before
      .close()
      .catch(() => undefined)
      .then(() => {
        this.#before = null;
        if (this.#isWanted && !this.#closed) this.#raw.open?.();
      });
    this.#turn = Promise.race([this.#before, wait(TURN_MS, undefined, { ref: false })]);
  }

  /** Sends by this line when it is its turn; by the next one what this one takes no more. */
  async #inTurn(
    request: SendRequest,
    signal: AbortSignal,
    send: (line: Line) => Promise<SendOutcome>,
  ): Promise<SendOutcome> {
    this.connect();
    if (this.#before) {
      await this.#turn;
      const refusal = request.refuse?.();
      if (refusal) return refusal;
    }
    const isOpen = !this.#before && !this.#closed && !signal.aborted;
    const outcome = isOpen ? await send(this) : NOT_OPEN;
    // Whoever asked may have given up: nothing may be sent any more.
    if (!this.#next || outcome.kind !== 'unavailable' || signal.aborted) return outcome;
    return this.#next.#inTurn(request, signal, send);
  }

  /** Sends what its template lets through, when its number has a turn. Without a database it goes at once: the provider says where it is too much. */
  async #inPace(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const fault = request.template && this.#templateFault(request.template);
    // Another connection may have it: the outcome is that of this one.
    if (fault) return { kind: 'rejected', ...fault, isOwn: true };
    const { perSecond } = this.#raw;
    if (perSecond === undefined) return this.#send(request, signal);
    const isOurs = await this.#takeTurn(paceOf(this.#raw), perSecond, signal).catch(() => true);
    if (signal.aborted || !isOurs) return TOO_MANY;
    return request.refuse?.() ?? this.#send(request, signal);
  }

  async #send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const pass = this.breaker.enter();
    if (pass === null) return DOWN;
    let isNoted = false;
    const note = (outcome: Parameters<Breaker['note']>[1]): void => {
      if (!isNoted) this.breaker.note(pass, outcome);
      isNoted = true;
    };
    // A provider may go on after the deadline, or never end: the breaker waits for neither.
    // Behind an `accepted` that it answers to that, as `dispatch` has it.
    const late = () => setImmediate(note, TIMED_OUT);
    signal.addEventListener('abort', late, { once: true });
    try {
      const outcome = await this.#raw.send(request, signal);
      note(tellingNothing(outcome));
      return outcome;
    } catch (error) {
      note(BROKEN_OFF);
      throw error;
    } finally {
      signal.removeEventListener('abort', late);
    }
  }
}

/** The number whose pace a provider keeps: connections of one number share it. */
export function paceOf({ id, numberId = '' }: Pick<Provider, 'id' | 'numberId'>): string {
  return `${id} ${numberId}`;
}

/** An outcome without the provider's words, for the health of the connection. They may quote the text of any account, and health is logged and listed. */
function tellingNothing(outcome: SendOutcome): Parameters<Breaker['note']>[1] {
  return outcome.kind === 'accepted' ? outcome : { kind: outcome.kind, message: publicMessage(outcome) };
}
