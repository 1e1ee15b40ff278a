/** Mounts a named GraphQL operation at a path: the facade is the same schema, asked in process. */
import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { type Ctx, unauthenticated } from '../context.ts';
import { toAppError } from '../db/failures.ts';
import type { Area } from '../kernel/crypto/secrets.ts';
import { AppError, type ErrorCode, faultyInput, internalError, invalidInput } from '../kernel/errors.ts';
import { CheckedInput, toInputError } from '../kernel/input.ts';
import { requireUnifiedApi } from '../modules/accounts/unified-api.policy.ts';
import { limitRequests } from '../modules/limits/limit-requests.ts';
import type { InnerWords } from './enum-case.ts';
import { type FailureStyle, failure, type PlainAnswer } from './envelope.ts';
import { parseJsonObject, readJsonText } from './json-body.ts';
import { keepKnown } from './known-fields.ts';
import type { Operations } from './operations/operations.generated.ts';
import { type OperationName, prepareRun } from './operations/run-operation.ts';
import { ownValue } from './own-value.ts';

/** An example of a route: a request that works as it stands against the sandbox, and the result of its operation. */
interface RouteExample<Result = unknown> {
  /** One word. */
  readonly name: string;
  /** The title of the example, for readers. */
  readonly summary: string;
  /** The body, or the parameters of the query string. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly result: Result;
}

/** The facts of a route in the mount table, whatever the types of its input and result. */
interface RouteFacts {
  /** The `operationId` of the OpenAPI document, like `sendMessage`. */
  readonly id: string;
  /** The part of the document that it stands in. */
  readonly tag: 'Messages' | 'OTP' | 'SMS' | 'Logs' | 'Plants';
  readonly summary: string;
  readonly description: string;
  /** The area whose token opens it; `any`: every live token. */
  readonly area: Area | 'any';
  readonly failureStyle?: FailureStyle;
  /** The zod schema of the body, or of the query parameters of a GET. */
  readonly input: z.ZodType;
  /** The schema of what stands in `data`, for the OpenAPI document; a bare body where `isBare`. */
  readonly data: z.ZodType;
  readonly isBare?: boolean;
  /** Whether integers of 64 bits are kept to the last digit. */
  readonly int64?: boolean;
  /** Names of the operation's arguments, as this path calls them. */
  readonly fieldNames?: Readonly<Record<string, string>>;
  /** The codes of failures beside those that its method and its area bring (`errorsOf`). */
  readonly errors: readonly ErrorCode[];
  /** The first is the plainest. */
  readonly examples: readonly RouteExample[];
  /** A request whose fields are refused, for the example of `invalid_input`. Absent: an empty one. */
  readonly badRequest?: Readonly<Record<string, unknown>>;
  /** Whether the header `Idempotency-Key` is taken. */
  readonly hasIdempotencyKey?: boolean;
}

/** A row of the mount table. */
export interface RouteOptions<Input, Name extends OperationName> extends RouteFacts {
  readonly input: z.ZodType<Input>;
  readonly examples: readonly RouteExample<Operations[Name]['result']>[];
  /** The variables of the operation, as its field takes them. The schema here has checked an `input`; the field checks other arguments. */
  readonly variables: (input: Input) => InnerWords<Operations[Name]['variables']>;
  /** The answer, from the field `result` of the operation. */
  readonly answer: (result: Operations[Name]['result'], requestId: string) => PlainAnswer;
}

/** A route: an operation at a path. */
export interface Route {
  readonly operation: OperationName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly facts: RouteFacts;
  /** The variables of the operation for what a request brought, with words in lower case. @throws AppError `invalid_input`. */
  variables(raw: Record<string, unknown>): object;
  answer(result: unknown, requestId: string): PlainAnswer;
}

/** Begins a row of the mount table: `mount('send-message').at('POST', '/api/omni/send', …)`. */
export function mount<Name extends OperationName>(operation: Name) {
  return {
    at: <Input>(method: Route['method'], path: string, options: RouteOptions<Input, Name>): Route => ({
      operation,
      method,
      path,
      facts: options,
      variables(raw) {
        const input = keepKnown(options.input, raw);
        const parsed = options.input.safeParse(input);
        if (!parsed.success) throw toInputError(parsed.error, input);
        return options.variables(parsed.data);
      },
      // The type is generated from the operation that is run.
      answer: (result, requestId) => options.answer(result as Operations[Name]['result'], requestId),
    }),
  };
}

/** The variables of a route, with the input marked as checked. */
function knownAsChecked(variables: object): Record<string, unknown> {
  return { ...variables, ...('input' in variables && { input: new CheckedInput(variables.input) }) };
}

/** Answers a request of a route. `takeBody` answers a body that was read already. */
type RouteHandler = (request: Request, ctx: Ctx, takeBody?: () => Buffer) => Promise<PlainAnswer>;

/** The handler of a route, which checks the area and its plan, the limit of requests, the body and the input, in that order. */
export function routeHandler(schema: GraphQLSchema, route: Route): RouteHandler {
  const run = prepareRun(schema, route.operation);
  return async (request, ctx, takeBody) => {
    try {
      requireArea(ctx, route.facts.area);
      await limitRequests(ctx);
      const raw = await readRaw(route, request, takeBody);
      const result = await run(ctx, knownAsChecked(route.variables(raw)));
      return route.answer(result, ctx.requestId);
    } catch (error) {
      return failed(error, ctx, route.facts);
    }
  };
}

function requireArea(ctx: Ctx, area: Area | 'any'): void {
  const { actor } = ctx;
  // Pages sign in for GraphQL alone.
  if (actor.kind === 'anonymous') throw unauthenticated(actor);
  if (actor.kind === 'user') throw unauthenticated({});
  if (actor.kind === 'token' && area !== 'any' && actor.area !== area) {
    throw new AppError(
      'wrong_area',
      `This path takes a token of the area ${area}; this one is of the area ${actor.area}.`,
    );
  }
  // Before the body is read: a plan that is over says nothing about it.
  if (actor.kind === 'token' && area === 'unified') requireUnifiedApi(actor.account);
}

async function readRaw(route: Route, request: Request, takeBody?: () => Buffer): Promise<Record<string, unknown>> {
  if (route.method === 'GET') return readQuery(route.facts.input, new URL(request.url).searchParams);
  return parseJsonObject(await readJsonText(request, takeBody), { int64: route.facts.int64 ?? false });
}

/** The query string, in which each parameter of ours stands once. */
function readQuery(input: z.ZodType, query: URLSearchParams): Record<string, unknown> {
  const names = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
  for (const name of names) if (query.getAll(name).length > 1) throw invalidInput(name, 'must be given once');
  return Object.fromEntries(query);
}

function failed(error: unknown, ctx: Ctx, facts: RouteFacts): PlainAnswer {
  const known = toAppError(error);
  if (!known) ctx.log.error({ err: error }, 'an unexpected error was masked');
  const shown = known ? renamed(known, facts.fieldNames ?? {}) : internalError();
  return failure(shown, ctx.requestId, facts.failureStyle ?? 'problem');
}

/** The faults under the names of a path. */
export function renamed(error: AppError, names: Readonly<Record<string, string>>): AppError {
  const errors = error.details.errors?.map(fault => ({ ...fault, field: ownValue(names, fault.field) ?? fault.field }));
  if (!errors || Object.keys(names).length === 0) return error;
  return faultyInput(errors, error.cause);
}
