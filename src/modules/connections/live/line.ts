/** What a connection sends by in this process: its provider, made when it is needed, behind its breaker. */
import type {
  ConnectionServices,
  Provider,
  ProviderDefinition,
  SendOutcome,
  SendRequest,
} from '../../../channels/contract.ts';
import { Breaker, type BreakerState } from './breaker.ts';

/** What a line answers while its breaker is open. Nobody is asked. */
const DOWN: SendOutcome = {
  kind: 'unavailable',
  code: 'connection_down',
  message: 'The connection is down, and nothing is sent by it for now.',
};

/** What a line is made of. */
export interface LineParts {
  readonly definition: ProviderDefinition<unknown>;
  /** As its provider's schema has checked it. */
  readonly config: unknown;
  readonly services: Omit<ConnectionServices, 'onLink'>;
  /** Told when it goes up or down. */
  onHealth(state: BreakerState): void;
}

/** The line of one connection. It stays as long as the config does. */
export class Line {
  readonly breaker: Breaker;
  readonly #parts: LineParts;
  #provider: Provider | null = null;
  #raw: Provider | null = null;
  #closed: Promise<void> | null = null;

  constructor(parts: LineParts) {
    this.#parts = parts;
    this.breaker = new Breaker(state => parts.onHealth(state));
  }

  /** Its provider, which is connected from now on. */
  get provider(): Provider {
    if (this.#provider) return this.#provider;
    const { definition, config, services } = this.#parts;
    const provider = definition.create(config, { ...services, onLink: state => this.breaker.noteLink(state) });
    this.#raw = provider;
    const { id, capabilities } = provider;
    this.#provider = {
      id,
      capabilities,
      send: (request, signal) => this.#send(provider, request, signal),
      reportsOf: request => provider.reportsOf?.(request) ?? [],
      close: () => this.close(),
    };
    return this.#provider;
  }

  /** Sends past the breaker, for whoever tries it by hand; what comes of it counts. @throws where it is closed */
  async try(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const provider = this.provider;
    const outcome = await (this.#raw ?? provider).send(request, signal);
    this.breaker.note('probe', outcome);
    return outcome;
  }

  /** Ends what it has open, after what is under way; once. */
  close(): Promise<void> {
    this.#closed ??= Promise.resolve(this.#raw?.close?.());
    return this.#closed;
  }

  async #send(provider: Provider, request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const pass = this.breaker.enter();
    if (pass === null) return DOWN;
    let isNoted = false;
    const note = (outcome: Parameters<Breaker['note']>[1]): void => {
      if (!isNoted) this.breaker.note(pass, outcome);
      isNoted = true;
    };
    // A provider may go on after the deadline, or never end: the breaker waits for neither.
    const late = (): void => note({ kind: 'unknown', message: 'The provider did not answer in time.' });
    signal.addEventListener('abort', late, { once: true });
    try {
      const outcome = await provider.send(request, signal);
      note(outcome);
      return outcome;
    } catch (error) {
      note({ kind: 'unknown', message: 'The provider call broke off.' });
      throw error;
    } finally {
      signal.removeEventListener('abort', late);
    }
  }
}
