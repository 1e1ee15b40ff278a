/** The driver's end of the IPC channel: what it tells, and what it asks and waits for. */
import type { Command, News } from './protocol.ts';

/** News that are answered, without their call. */
export type Question = Asked extends infer One ? (One extends unknown ? Omit<One, 'call'> : never) : never;
type Asked = Extract<News, { type: 'get' | 'set' | 'reports' | 'inbound' }>;
type Values = Readonly<Record<string, string>>;

/** How long after a refusal the gateway is told the same again. */
const AGAIN_MS = 2_000;

/** How often news of a number are told which the gateway does not have: for ten minutes, as it may get the number back. */
const UNHEARD_MAX = 300;

/** A question that was refused. */
class Refusal extends Error {
  readonly isUnheard: boolean;

  constructor(isUnheard: boolean) {
    super('The gateway refused.');
    this.isUnheard = isUnheard;
  }
}

/** The end of the channel. */
export class Link {
  readonly #post: (news: News) => void;
  readonly #asked = new Map<number, { resolve(values: Values): void; reject(error: Error): void }>();
  #calls = 0;

  constructor(post: (news: News) => void) {
    this.#post = post;
  }

  /** Tells something. */
  tell(news: News): void {
    this.#post(news);
  }

  /** Asks, and waits for the answer. @throws for a refusal */
  ask(question: Question): Promise<Values> {
    const call = ++this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<Values>();
    this.#asked.set(call, { resolve, reject });
    this.#post({ ...question, call });
    return promise;
  }

  /** Hands over news that must not be lost: told again until the gateway has them, or has not had the number for long. */
  async handOver(question: Question): Promise<void> {
    for (let unheard = 0; unheard < UNHEARD_MAX; )
      try {
        await this.ask(question);
        return;
      } catch (error) {
        unheard = error instanceof Refusal && error.isUnheard ? unheard + 1 : 0;
        await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
      }
  }

  /** Takes the answer to a question. */
  settle(answer: Extract<Command, { type: 'answer' | 'refusal' }>): void {
    const asked = this.#asked.get(answer.call);
    this.#asked.delete(answer.call);
    if (answer.type === 'answer') asked?.resolve(answer.values ?? {});
    else asked?.reject(new Refusal(answer.isUnheard));
  }
}
