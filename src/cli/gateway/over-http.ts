/** The operator over HTTP, beside a running gateway. */
import { COMMAND_LINE_AGENT } from '../../kernel/network/command-line.ts';
import { Refusal } from '../refusal.ts';
import { type Fields, type FollowOptions, type Operation, type Operator, readResult } from './operator.ts';

/** Whole tables are looked at for minutes. `fetch` itself waits no longer than 300 s for an answer, and says less of it. */
const ANSWER_MS_MAX = 290_000;

/** A gateway that is asked. */
interface AskedGateway {
  readonly url: string;
  /** Its process id; absent: it is elsewhere. */
  readonly pid?: number;
  /** The command by which one signs in to it; absent: it is one of this data directory. */
  readonly signIn?: string;
}

/** Makes the operator of a running gateway. `token` is the operator's. */
export function overHttp(gateway: AskedGateway, token: string): Operator {
  const ask = async (
    accept: string,
    { document }: { readonly document: string },
    variables: Fields,
    accountId: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> => {
    const headers = {
      'user-agent': COMMAND_LINE_AGENT,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept,
      ...(accountId === undefined ? {} : { 'x-account-id': accountId }),
    };
    try {
      const body = JSON.stringify({ query: document, variables });
      return await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body, signal });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        throw new Refusal(
          null,
          `${nameOf(gateway)} did not answer within ${ANSWER_MS_MAX / 1_000} seconds. What it was asked may still be at work.`,
          error,
        );
      throw new Refusal(
        null,
        `${nameOf(gateway)} does not answer. ${gateway.pid === undefined ? 'Does it run, and is the address right?' : 'Is it about to stop?'}`,
        error,
      );
    }
  };
  return {
    place: 'gateway',
    async run(operation, variables, accountId) {
      const signal = AbortSignal.timeout(ANSWER_MS_MAX);
      const response = await ask('application/graphql-response+json', operation, variables, accountId, signal);
      return readAnswer(operation, response, gateway);
    },
    async follow(operation, variables, accountId, options) {
      const response = await ask('text/event-stream', operation, variables, accountId, options.signal);
      const type = response.headers.get('content-type') ?? '';
      // A refusal that comes before GraphQL is asked is no stream.
      if (!type.startsWith('text/event-stream')) await readAnswer(operation, response, gateway);
      return readEvents(operation, response, gateway, options);
    },
    close: async () => undefined,
  };
}

const nameOf = ({ pid, url }: AskedGateway): string =>
  `The gateway at ${url}${pid === undefined ? '' : ` (process ${pid})`}`;

async function readAnswer<Data>(operation: Operation<Data>, response: Response, gateway: AskedGateway): Promise<Data> {
  const answer: unknown = await response.json().catch(() => null);
  const result = resultOf(operation, answer, gateway);
  if (result) return result.data;
  // Problem details, as anything that is not GraphQL answers them: a gateway that stops, or one that serves no API.
  const problem = new Map(Object.entries(typeof answer === 'object' && answer !== null ? answer : {}));
  const [code, detail] = [problem.get('code'), problem.get('message')];
  throw typeof code === 'string' && typeof detail === 'string'
    ? new Refusal(code, `${detail} (${nameOf(gateway)} answered.)`)
    : new Refusal(null, `${nameOf(gateway)} answered ${response.status} with what this command does not understand.`);
}

function resultOf<Data>(operation: Operation<Data>, answer: unknown, gateway: AskedGateway) {
  try {
    return readResult(operation, answer);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'unauthenticated') throw error;
    const fault =
      gateway.signIn === undefined
        ? 'has another operator token. Set OPERATOR_TOKEN to the one that it was started with.'
        : 'does not know this token.';
    const message = `${nameOf(gateway)} ${fault}`;
    throw new Refusal(error.code, message, error, [], gateway.signIn ?? null);
  }
}

/** The payloads of the `next` events (protocol "distinct connections" of GraphQL over server-sent events). */
async function* readEvents<Data>(
  operation: Operation<Data>,
  response: Response,
  gateway: AskedGateway,
  { signal, leftOut }: FollowOptions,
): AsyncGenerator<Data, void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk, { stream: true });
      const events = rest.split(/\r?\n\r?\n/);
      rest = events.pop() ?? '';
      for (const event of events) {
        const result = readEvent(operation, event);
        if (!result) continue;
        if (result.dropped > 0) leftOut(result.dropped);
        yield result.data;
      }
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (!signal.aborted) throw new Refusal(null, `The connection to ${gateway.url} broke.`, error);
  }
  if (!signal.aborted) throw new Refusal(null, `${nameOf(gateway)} ended the stream.`);
}

function readEvent<Data>(operation: Operation<Data>, event: string): ReturnType<typeof readResult<Data>> {
  const lines = event.split(/\r?\n/);
  if (!lines.includes('event: next')) return null;
  const data = lines.flatMap(line => (line.startsWith('data:') ? line.slice(5) : [])).join('\n');
  return readResult(operation, JSON.parse(data));
}
