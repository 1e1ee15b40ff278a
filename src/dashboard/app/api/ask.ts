/** Asks the gateway: each operation goes by the hash of its document, with the cookie of the session. */
import { readEvents } from '../../event-stream.ts';
import { Failure, type FieldFault } from '../ui/failure.ts';
import type { TypedDocumentString } from './operations.generated.ts';

/** An operation with the types of its variables and of its answer. */
export type Operation<Answer, Variables> = TypedDocumentString<Answer, Variables>;

/** The account that an operator looks at; null: none, or it is that of the session. */
let actingFor: string | null = null;

/** From now on operations are about this account of all: an operator chooses one. */
export function actFor(accountId: string | null): void {
  actingFor = accountId;
}

/** The hash that names the document of an operation. */
export function documentIdOf(operation: Operation<unknown, never>): string {
  return String(operation.__meta__?.documentId);
}

/** Asks once. @throws Failure where anything of it was refused */
export async function ask<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await post(operation, variables, 'application/graphql-response+json', signal);
  return answerOf(await readJson(response, signal), response);
}

/** Asks, and again where the gateway says when: a busy one, or one that limits requests, ends no long work. @throws Failure where anything else was refused */
export async function askPatiently<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask(operation, variables, signal);
    } catch (error) {
      if (!(error instanceof Failure) || error.retryAfter === null) throw error;
      await pause(error.retryAfter * 1000, signal);
    }
  }
}

/** The callbacks of a subscription. */
export interface Follower<Answer> {
  /** Takes an event, and the number of events before it that were dropped because they came too fast. */
  tell(answer: Answer, dropped: number): void;
  /** The line is open: earlier events were not told, so the present state is to be asked for. */
  opened(): void;
  /** The line broke. */
  lost(): void;
}

/** How long a line that broke stays so at the most while the gateway is there, in milliseconds. */
const REOPENED_MS = 5_000;

/** Follows a subscription until `signal` aborts; a line that breaks is opened again. @throws Failure where it is refused */
export async function follow<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  follower: Follower<Answer>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const opened = (): void => {
        failures = 0;
        follower.opened();
      };
      await followOnce(operation, variables, { ...follower, opened }, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Failure && !PASSING.has(error.code)) throw error;
    }
    if (signal.aborted) return;
    follower.lost();
    await pause(Math.min(REOPENED_MS, 500 * 2 ** failures), signal);
  }
}

/** The errors that pass by themselves: the line is opened again. */
const PASSING = new Set(['UNREACHABLE', 'OVERLOADED', 'RATE_LIMITED', 'DATABASE_UNAVAILABLE', 'INTERNAL_ERROR']);

async function followOnce<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  { tell, opened }: Pick<Follower<Answer>, 'tell' | 'opened'>,
  signal: AbortSignal,
): Promise<void> {
  const response = await post(operation, variables, 'text/event-stream', signal);
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    answerOf(await readJson(response, signal), response);
    return;
  }
  if (response.ok) opened();
  for await (const { name, data } of readEvents(response.body)) {
    if (name === 'complete') return;
    if (name !== 'next') continue;
    const result: { readonly extensions?: { readonly dropped?: number } } = JSON.parse(data);
    tell(answerOf<Answer>(result, response), result.extensions?.dropped ?? 0);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}

async function post<Answer, Variables>(
  operation: Operation<Answer, Variables>,
  variables: Variables,
  accept: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch('/graphql', {
      method: 'POST',
      headers: {
        accept,
        'content-type': 'application/json',
        ...(actingFor === null ? {} : { 'x-account-id': actingFor }),
      },
      body: JSON.stringify({ documentId: documentIdOf(operation as Operation<unknown, never>), variables }),
      signal: signal ?? null,
    });
  } catch (error) {
    throw cutOff(error, signal);
  }
}

/** The failure where no answer came, or no whole one; the error itself where nobody waits for it any more. */
function cutOff(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted && signal.reason.name !== 'TimeoutError') return error;
  return new Failure('UNREACHABLE', 'The gateway does not answer. Check that it runs and that you are online.');
}

async function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw cutOff(error, signal);
    throw new Failure(
      'UNREACHABLE',
      `The answer was HTTP ${response.status} and no JSON: something between you and the gateway answered.`,
    );
  }
}

interface GraphqlError {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly errors?: readonly FieldFault[];
    readonly requestId?: string;
    readonly retryAfter?: number;
  };
}

function answerOf<Answer>(body: unknown, response: Response): Answer {
  const { data, errors } = body as { data?: Answer | null; errors?: readonly GraphqlError[] };
  const [error] = errors ?? [];
  if (!error && data) return data;
  const { code, errors: faults = [], requestId, retryAfter } = error?.extensions ?? {};
  if (code?.startsWith('PERSISTED_QUERY'))
    throw new Failure(code, 'The gateway was changed since this page was loaded. Reload it.');
  throw new Failure(code ?? 'INTERNAL_ERROR', error?.message ?? `The answer was HTTP ${response.status}.`, {
    faults,
    requestId: requestId ?? response.headers.get('x-request-id'),
    retryAfter: retryAfter ?? null,
  });
}
