/** Reads what came back over HTTP: the data of GraphQL, or the error that it tells. */
import { HeliographError } from './heliograph-error.ts';

/** Statuses of a proxy whose gateway did not answer it. */
const NO_GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

type Members = Readonly<Record<string, unknown>>;

/** The data of an answer. @throws HeliographError for the first of its errors, and for an answer of something else than a gateway. */
export function readAnswer(response: Response, text: string): Members {
  const answer = membersOf(parse(text));
  const [error] = Array.isArray(answer.errors) ? answer.errors.map(membersOf) : [];
  const data = answer.data;
  // Problem details have the code beside the message: a gateway that stops, or a token that opens nothing.
  if (typeof answer.code === 'string') throw errorOf(response, answer, answer, false);
  if (error) throw errorOf(response, error, membersOf(error.extensions), 'data' in answer);
  if (typeof data === 'object' && data !== null) return membersOf(data);
  const code = NO_GATEWAY.has(response.status) ? 'unreachable' : 'unexpected_answer';
  throw new HeliographError(code, `The answer is not the gateway's: HTTP ${response.status}. Is the address right?`, {
    retryAfter: retryAfterOf(response),
  });
}

function errorOf(response: Response, { message }: Members, facts: Members, isBegun: boolean): HeliographError {
  const [fault] = Array.isArray(facts.errors) ? facts.errors.map(membersOf) : [];
  return new HeliographError(String(facts.code ?? 'unexpected_answer').toLowerCase(), String(message), {
    field: typeof fault?.field === 'string' ? fault.field : null,
    requestId: typeof facts.requestId === 'string' ? facts.requestId : response.headers.get('x-request-id'),
    retryAfter: numberOf(facts.retryAfter) ?? retryAfterOf(response),
    attemptsRemaining: numberOf(facts.attemptsRemaining),
    isBegun,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? { ...value } : {});

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function retryAfterOf({ headers }: Response): number | null {
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return Number.isNaN(seconds) ? null : seconds;
}
