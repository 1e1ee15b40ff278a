/** The client of a Heliograph gateway, made of `fetch` and nothing else. */
import { HeliographError } from './heliograph-error.ts';
import {
  DOCUMENTS,
  type LogEntry,
  type LogFilter,
  type Message,
  type MessageFilter,
  type Operations,
  type Otp,
  type ResendOtpInput,
  type SendMessageInput,
  type SendOtpInput,
  type VerifyOtpInput,
} from './operations.generated.ts';
import { readAnswer } from './read-answer.ts';
import { type CallOptions, type Repeats, repeat, wholeDeadline } from './repeat.ts';

export {
  type ClientErrorCode,
  HeliographError,
  type HeliographErrorCode,
  type HeliographErrorDetails,
} from './heliograph-error.ts';
export type * from './operations.generated.ts';
export type { CallOptions } from './repeat.ts';

/** How a gateway is reached. */
export interface HeliographOptions {
  /** The address of the gateway, such as `https://gateway.example.com`. */
  readonly url: string;
  /** A token of the account; its area decides which calls it opens. */
  readonly token: string;
  /** Milliseconds above 0 for a call with all of its tries; 60,000 where it is not given, and 24 days at most. */
  readonly deadlineMs?: number | undefined;
}

/** A document: a text, or one that a generator of types made, which then types variables and data. */
export interface TypedDocument<Data, Variables> {
  /** Never there: the types of GraphQL Code Generator. */
  readonly __apiType?: (variables: Variables) => Data;
  toString(): string;
}

/** One page of a list. */
interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const DEADLINE_MS = 60_000;

/** Rows of one request: the cost of a page of messages stays below the limit of a document. */
const PAGE_SIZE = 100;

/** A client of a gateway. Every call throws a `HeliographError` where it fails, and a `TypeError` for a deadline that is none. */
export class Heliograph {
  readonly #address: string;
  readonly #token: string;
  readonly #deadlineMs: number;

  constructor({ url, token, deadlineMs = DEADLINE_MS }: HeliographOptions) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new TypeError('url must be the address of the gateway: https://gateway.example.com');
    const { username, password } = new URL(url);
    if (username || password) throw new TypeError('url must have no user and no password: errors name the address');
    if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('token must be a token of the account, such as hg_uni_…');
    this.#address = `${url.replace(/\/+$/, '')}/graphql`;
    this.#token = token;
    this.#deadlineMs = wholeDeadline(deadlineMs);
  }

  /**
   * Sends a message, and tries again where the connection breaks: all tries have one key, so that one message is sent. The key is
   * `input.reference`, or an `Idempotency-Key` that is made for this call. A message that no channel accepted has the status `FAILED`.
   */
  sendMessage(input: SendMessageInput, options: CallOptions = {}): Promise<Message> {
    // A header takes no reference that the gateway would refuse with a reason.
    const key = input.reference == null ? crypto.randomUUID() : undefined;
    return this.#run('sendMessage', { input }, 'keyed', options, key);
  }

  /** Sends a passcode. A broken connection is not tried again: the code may be on its way. */
  sendOtp(input: SendOtpInput, options: CallOptions = {}): Promise<Otp> {
    return this.#run('sendOtp', { input }, 'refused', options);
  }

  /** Sends the same code again. */
  resendOtp(input: ResendOtpInput, options: CallOptions = {}): Promise<Otp> {
    return this.#run('resendOtp', { input }, 'refused', options);
  }

  /** Checks a code. @throws HeliographError: `otp_incorrect` (with `attemptsRemaining`), `otp_expired`, `otp_blocked`, … */
  verifyOtp(input: VerifyOtpInput, options: CallOptions = {}): Promise<Otp> {
    return this.#run('verifyOtp', { input }, 'refused', options);
  }

  /** A message with its attempts; null: the account has none with this id. */
  message(messageId: string, options: CallOptions = {}): Promise<Message | null> {
    return this.#run('message', { id: messageId }, 'always', options);
  }

  /** The messages that pass the filter, newest first. Pages are asked as the loop goes on. */
  messages(filter: MessageFilter = {}, options: CallOptions = {}): AsyncGenerator<Message, void> {
    return pages(after => this.#run('messages', { first: PAGE_SIZE, after, filter }, 'always', options));
  }

  /** The entries of the log that pass the filter, newest first. Pages are asked as the loop goes on. */
  logs(filter: LogFilter = {}, options: CallOptions = {}): AsyncGenerator<LogEntry, void> {
    return pages(after => this.#run('logs', { first: PAGE_SIZE, after, filter }, 'always', options));
  }

  /** Runs a document of your own and answers its data. Mutations are tried again only where the gateway did nothing. */
  request<Data = Record<string, unknown>, Variables = Record<string, unknown>>(
    document: TypedDocument<Data, Variables>,
    variables?: Variables,
    options: CallOptions = {},
  ): Promise<Data> {
    const query = document.toString();
    const repeats = /\bmutation\b/.test(query) ? 'unbegun' : 'always';
    return this.#ask(query, variables, repeats, options) as Promise<Data>;
  }

  async #run<Name extends keyof Operations>(
    name: Name,
    variables: Operations[Name]['variables'],
    repeats: Repeats,
    options: CallOptions,
    key?: string,
  ): Promise<Operations[Name]['result']> {
    const { result } = await this.#ask(DOCUMENTS[name], variables, repeats, options, key);
    return result as Operations[Name]['result'];
  }

  #ask(query: string, variables: unknown, repeats: Repeats, options: CallOptions, key?: string) {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const body = JSON.stringify({ query, variables });
    const deadlineMs = options.deadlineMs ?? this.#deadlineMs;
    return repeat(signal => this.#post(headers, body, signal), repeats, { signal: options.signal, deadlineMs });
  }

  async #post(headers: Record<string, string>, body: string, signal: AbortSignal) {
    let response: Response;
    let text: string;
    try {
      // A redirect would turn a mutation into a GET.
      response = await fetch(this.#address, { method: 'POST', headers, body, signal, redirect: 'manual' });
      text = await response.text();
    } catch (error) {
      const message = `${this.#address} does not answer. Does the gateway run, and is the address right?`;
      throw new HeliographError('unreachable', message, {}, error);
    }
    return readAnswer(response, text);
  }
}

async function* pages<Node>(ask: (after: string | null) => Promise<Page<Node>>): AsyncGenerator<Node, void> {
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: Page<Node> = await ask(after);
    yield* nodes;
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}
