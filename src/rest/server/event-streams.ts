/** A bound on the streams of events that are open at once: they are no work, but each costs memory. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AppError } from '../../kernel/errors.ts';
import { failure, isWhole, requestIdOf, respond } from '../envelope.ts';

/** The open streams of a process. */
export class EventStreams {
  readonly #open = new Set<ServerResponse>();
  readonly #max: number;
  readonly #refusal: AppError;

  /** At most `max` are open; `refusal` is the answer to one more. */
  constructor(max: number, refusal: AppError) {
    this.#max = max;
    this.#refusal = refusal;
  }

  /** The answer to send to a client: the given one, unless it is a stream too many. */
  bound(answer: Response, request: IncomingMessage, response: ServerResponse): Response {
    if (isWhole(answer) || !answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer;
    // Of who is gone already, no end would ever be heard.
    if (!response.destroyed && this.#open.size < this.#max) {
      this.#open.add(response);
      response.once('close', () => this.#open.delete(response));
      return answer;
    }
    // Whoever could be told that this failed has got another answer.
    end(answer.body).catch(() => undefined);
    const requestId = requestIdOf(request.headers['x-request-id']?.toString());
    return respond(failure(this.#refusal, requestId, 'graphql'), requestId);
  }
}

/**
 * Ends a stream that nobody gets, and what feeds it. GraphQL Yoga begins to feed one when it is read, and throws where one is cancelled
 * that never was.
 */
async function end(body: ReadableStream | null): Promise<void> {
  const reader = body?.getReader();
  await reader?.read();
  await reader?.cancel();
}
