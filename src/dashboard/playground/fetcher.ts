import type { GraphiQLProps } from 'graphiql';
import { type ExecutionResult, getOperationAST } from 'graphql';
import { readEvents } from '../event-stream.ts';
import { chosenAccount } from '../tab-storage.ts';

type Fetcher = GraphiQLProps['fetcher'];
type Operation = Parameters<Fetcher>[0];
type RequestHeaders = Readonly<Record<string, string>>;

/** GraphiQL's fetcher, by POST, with event streams for subscriptions: its own needs a WebSocket, which the gateway does not have. */
export function createFetcher(url: string): Fetcher {
  return (operation, options) => {
    const headers: RequestHeaders = options?.headers ?? {};
    const document = options?.documentAST;
    const definition = document && getOperationAST(document, operation.operationName);
    return definition?.operation === 'subscription'
      ? subscribe(url, operation, headers)
      : executeOnce(url, operation, headers);
  };
}

async function executeOnce(url: string, operation: Operation, headers: RequestHeaders): Promise<ExecutionResult> {
  const accept = 'application/graphql-response+json, application/json';
  return readResult(await post(url, operation, { accept, ...headers }));
}

/** GraphiQL calls `return` when the user presses stop; aborting closes the connection even between events. */
function subscribe(url: string, operation: Operation, headers: RequestHeaders): AsyncIterableIterator<ExecutionResult> {
  const abort = new AbortController();
  const results = readResults(url, operation, headers, abort.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => results.next(),
    async return() {
      abort.abort();
      return { done: true, value: undefined };
    },
  };
}

async function* readResults(
  url: string,
  operation: Operation,
  headers: RequestHeaders,
  signal: AbortSignal,
): AsyncGenerator<ExecutionResult, undefined> {
  try {
    const response = await post(url, operation, { accept: 'text/event-stream', ...headers }, signal);
    if (response.body === null || !contentType(response).startsWith('text/event-stream')) {
      yield await readResult(response);
      return;
    }
    for await (const event of readEvents(response.body)) {
      if (event.name === 'complete') return;
      if (event.name === 'next') yield JSON.parse(event.data);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function post(
  url: string,
  operation: Operation,
  headers: RequestHeaders,
  signal?: AbortSignal,
): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ofChosenAccount(headers), ...headers },
    body: JSON.stringify(operation),
    signal: signal ?? null,
  });
}

/** An operator who is signed in asks about the account that the dashboard shows; a token has its own. */
export function ofChosenAccount(headers: RequestHeaders): RequestHeaders {
  const names = Object.keys(headers).map(name => name.toLowerCase());
  return names.includes('authorization') ? {} : chosenAccount();
}

/** Shows an answer that is no JSON (a proxy's error page) by its status and first characters. */
async function readResult(response: Response): Promise<ExecutionResult> {
  if (contentType(response).includes('json')) return await response.json();
  const text = await response.text();
  throw new Error(`The answer was HTTP ${response.status} ${response.statusText}: ${text.slice(0, 500)}`);
}

function contentType(response: Response): string {
  return response.headers.get('content-type') ?? '';
}
