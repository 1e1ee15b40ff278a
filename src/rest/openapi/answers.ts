/** The answers of a path: its success, exactly the failures that it has, their headers, and an example of each. */
import { AppError, ERRORS, type ErrorCode } from '../../kernel/errors.ts';
import { failure } from '../envelope.ts';
import type { Route } from '../mount.ts';
import { plantError, problem } from '../schemas.ts';
import { type JsonObject, reference } from './json-schema.ts';
import { PROBLEM_SAMPLES } from './problem-samples.ts';

/** The request of the examples. */
const REQUEST_ID = 'req_4bccf4285f7b4532be98eafa68b29ff6';

/** The headers that an answer may have, for the components of the document. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request: the one that you sent, where it has 1 to 64 letters, digits, `_`, `.`, `:` or `-`',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  'RateLimit-Policy': {
    description:
      'The limit that was counted: `q` requests at once, and as many again in `w` seconds. Absent where none was counted: there is no limit, or the request was refused before',
    schema: { type: 'string' },
    example: '"requests";q=200;w=2',
  },
  RateLimit: {
    description: 'What is left of it: `r` requests now; all of them, or the next one, in `t` seconds. Absent with it',
    schema: { type: 'string' },
    example: '"requests";r=199;t=1',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try; also `retryAfter` in the body',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotency-Replayed': {
    description: '`true`: this is the first answer to the same request with the same reference; nothing was sent again',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' }, example: 'Bearer' },
} as const;

type HeaderName = keyof typeof HEADERS;

/** The failures after which the same request may be sent again, once some time is over. */
const RETRIED: ReadonlySet<ErrorCode> = new Set([
  'insufficient_balance',
  'reference_in_flight',
  'recipient_in_flight',
  'rate_limited',
  'otp_cooldown',
  'overloaded',
  'database_unavailable',
]);

/** Every code that a route can answer, by its status. */
export function errorsOf({ method, facts }: Route): readonly ErrorCode[] {
  const { area, errors } = facts;
  const codes: ErrorCode[] = [
    'invalid_input',
    'unauthenticated',
    ...(method === 'POST' ? (['invalid_json', 'body_too_large', 'unsupported_media_type'] as const) : []),
    ...(area === 'any' ? [] : (['wrong_area'] as const)),
    ...(area === 'unified' ? (['unified_api_disabled', 'plan_expired'] as const) : []),
    ...errors,
    'rate_limited',
    'internal_error',
    'overloaded',
    'database_unavailable',
  ];
  const order = Object.keys(ERRORS);
  return codes.sort((one, other) => order.indexOf(one) - order.indexOf(other));
}

/** The answers of an operation. */
export function responsesOf(route: Route, data: JsonObject, schemas: JsonObject): JsonObject {
  const envelope = {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: true, description: 'That it was done' },
      message: { type: 'string', description: 'What was done, for people' },
      data,
    },
    required: ['success', 'message', 'data'],
  };
  const byStatus = Map.groupBy(errorsOf(route), code => ERRORS[code].status);
  const failures = [...byStatus].map(([status, codes]) => [status, failureOf(route, status, codes, schemas)]);
  return {
    200: {
      description: route.facts.data.meta()?.description ?? 'Done',
      headers: headersOf(route, 200, []),
      content: {
        'application/json': { schema: route.facts.isBare ? data : envelope, examples: examplesOf(route, 200) },
      },
    },
    ...Object.fromEntries(failures),
  };
}

function failureOf(route: Route, status: number, codes: readonly ErrorCode[], schemas: JsonObject): JsonObject {
  const isPlant = route.facts.failureStyle === 'plant';
  const body = reference(isPlant ? plantError : problem, schemas, 'output');
  const schema = isPlant ? body : { allOf: [body, { type: 'object', properties: { code: { enum: codes } } }] };
  return {
    description: codes.map(code => `\`${code}\`: ${ERRORS[code].title}`).join('; '),
    headers: headersOf(route, status, codes),
    content: {
      [isPlant ? 'application/json' : 'application/problem+json']: {
        schema,
        examples: Object.assign({}, ...codes.map(code => failureExamples(route, code))),
      },
    },
    'x-codes': codes,
  };
}

function failureExamples(route: Route, code: ErrorCode): JsonObject {
  // Results that are failures stand for themselves: a send that no channel accepted.
  const shown = code === 'all_channels_failed' ? examplesOf(route, ERRORS[code].status) : {};
  if (Object.keys(shown).length > 0) return shown;
  const { body } = failure(sampleOf(route, code), REQUEST_ID, route.facts.failureStyle ?? 'problem');
  return { [code]: { summary: ERRORS[code].title, value: JSON.parse(body) } };
}

/** The route's own refusal of a bad request or of a token of another area; else the sample of the code. */
function sampleOf(route: Route, code: ErrorCode): AppError {
  if (code === 'invalid_input') return refusalOf(route) ?? PROBLEM_SAMPLES.invalid_input;
  if (code !== 'wrong_area') return PROBLEM_SAMPLES[code];
  const { area } = route.facts;
  const other = area === 'sms' ? 'otp' : 'sms';
  return new AppError(code, `This path takes a token of the area ${area}; this one is of the area ${other}.`);
}

function refusalOf(route: Route): AppError | null {
  try {
    route.variables(route.facts.badRequest ?? {});
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The answers of a status to the requests of the examples, made as the real ones are. */
function examplesOf(route: Route, status: number): JsonObject {
  const answered = route.facts.examples
    .map(example => ({ ...example, answer: route.answer(example.result, REQUEST_ID) }))
    .filter(({ answer }) => answer.status === status);
  return Object.fromEntries(
    answered.map(({ name, summary, answer }) => [name, { summary, value: JSON.parse(answer.body) }]),
  );
}

function headersOf({ facts }: Route, status: number, codes: readonly ErrorCode[]): JsonObject {
  const names: HeaderName[] = [
    'X-Request-Id',
    ...(status === 401 ? (['WWW-Authenticate'] as const) : (['RateLimit-Policy', 'RateLimit'] as const)),
    ...(codes.some(code => RETRIED.has(code)) ? (['Retry-After'] as const) : []),
    ...(facts.hasIdempotencyKey && (status === 200 || status === 502) ? (['Idempotency-Replayed'] as const) : []),
  ];
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}
