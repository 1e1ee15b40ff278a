/** Failures in GraphQL's shape: `extensions.code` is the upper-case of the code (contract §3), and nothing unexpected is told. */
import { type ASTNode, type ExecutionResult, GraphQLError, Kind } from 'graphql';
import { type Ctx, unauthenticated } from '../context.ts';
import { toAppError } from '../db/failures.ts';
import {
  type AppError,
  ERRORS,
  internalError,
  invalidInput,
  type Refusal,
  SHOWN_FAULTS_MAX,
  shorten,
} from '../kernel/errors.ts';

/** How much of a document is repeated with one of its faults: characters of the sentence, and places. */
const MESSAGE_LENGTH_MAX = 200;
const PLACES_MAX = 3;

/** Room for the errors of an answer of 4 KiB, and for the names of the fields beside them, in bytes of JSON. */
const ERRORS_BYTES_MAX = 3_900;
const NAMES_BYTES_MAX = 1_100;

/** The public form of all errors of an execution. A stranger learns nothing about the input, not even that it does not fit its type. */
export function toPublicErrors(
  errors: readonly GraphQLError[],
  ctx: Pick<Ctx, 'log' | 'requestId' | 'actor'>,
): GraphQLError[] {
  if (ctx.actor.kind === 'anonymous' && errors.some(isVariableFault))
    return [publicError(unauthenticated(ctx.actor), null)];
  return errors.map(error => toPublicError(error, ctx));
}

/** Status 429 and `Retry-After` for a page that got a refusal and no data, as for a password. Tokens are told in the body. */
export function statusOf(
  { data }: Pick<ExecutionResult, 'data'>,
  errors: readonly GraphQLError[],
  { actor }: Pick<Ctx, 'actor'>,
): Pick<ExecutionResult, 'extensions'> {
  const [refusal] = errors.filter(({ extensions }) => extensions.code === 'RATE_LIMITED');
  if (!refusal || data != null || actor.kind === 'token') return {};
  const headers = { 'retry-after': String(refusal.extensions.retryAfter ?? 1) };
  return { extensions: { http: { status: ERRORS.rate_limited.status, headers } } };
}

/** The public form of an error of an execution. Unexpected errors are logged here, once, and masked. */
export function toPublicError(error: unknown, ctx: Pick<Ctx, 'log' | 'requestId'>): GraphQLError {
  const known = toAppError(error);
  if (known) return publicError(known, error);
  if (isVariableFault(error)) return publicError(variableFault(error), error);
  if (error instanceof GraphQLError && !error.originalError) return withCode(error);
  ctx.log.error({ err: error }, 'an unexpected error was masked');
  return publicError(internalError(), error, { requestId: ctx.requestId });
}

function publicError(failure: AppError, error: unknown, more: object = {}): GraphQLError {
  return new GraphQLError(failure.message, {
    ...(error instanceof GraphQLError ? placeOf(error) : {}),
    extensions: { code: failure.code.toUpperCase(), ...failure.details, ...more },
  });
}

/** Whether it is about a variable that does not fit its type, and not yet in its public form. */
function isVariableFault(error: unknown): error is GraphQLError {
  return (
    error instanceof GraphQLError &&
    error.nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION &&
    error.extensions.code === undefined
  );
}

/** Such a variable as the input fault that it is. The executor tells the place, and what is missing, in its message only. */
function variableFault({ message, originalError, nodes }: GraphQLError): AppError {
  const [, place = ''] = /^Variable "\$\w+" has invalid value at ([^:]*): /.exec(message) ?? [];
  const path = place.replace(/^\./, '').replaceAll(/\[(\d+)\]/g, '.$1');
  const fault = originalError?.message ?? message;
  const [, missing] = /to include required field "(\w+)"/.exec(fault) ?? [];
  const [, unknown] = /not to include unknown field "(.*?)", found: /s.exec(fault) ?? [];
  const name = missing ?? unknown;
  const field = [path, name].filter(Boolean).join('.') || variableName(nodes?.[0]);
  if (name !== undefined) return invalidInput(field, missing ? 'is required' : 'is not a field of this request');
  return invalidInput(field, withoutValue(fault));
}

/** The name of a variable: that of the argument which it stands for, where the caller names them alike. */
function variableName(node: ASTNode | undefined): string {
  return node?.kind === Kind.VARIABLE_DEFINITION ? node.variable.name.value : 'input';
}

/** The library's message without the value that it found: a value may be long, or a code. Names stay, shortened. */
function withoutValue(message: string): string {
  const told = message
    .replace(/ Did you mean .*\?$/s, '')
    .replace(/[,;] (but encountered error .*|found: .*)$/s, '')
    .replace(/(cannot represent [^:]*): .*$/s, '$1')
    .replace(/^Value ".*" (does not exist in )/s, 'The value $1')
    .replace(/^(Unexpected parameter) ".*" (in the request body)/s, '$1 $2')
    .replace(/^(Syntax Error: .*(?:Int|Float|String)) ".*"\.$/s, '$1.')
    .replace(/[^\s"]{61,}/g, word => shorten(word, 60));
  return shorten(told, MESSAGE_LENGTH_MAX);
}

/** A fault of the document or of the request. Those without a code of ours are input that does not fit. */
function withCode(error: GraphQLError): GraphQLError {
  const { code = 'BAD_REQUEST', http } = error.extensions;
  // GraphQL over HTTP has 400 for it in the one form of answer alone, as for a document that is not valid. `spec` is Yoga's word for that.
  if (code === 'OPERATION_RESOLUTION_FAILURE')
    return documentFault(error, { ...error.extensions, http: { status: 400, spec: true } });
  if (code !== 'BAD_REQUEST') return documentFault(error);
  const isMethod = typeof http === 'object' && http !== null && 'status' in http && http.status === 405;
  return documentFault(error, { ...error.extensions, code: isMethod ? 'METHOD_NOT_ALLOWED' : 'INVALID_INPUT' });
}

/** A fault of the document without the value that stands there. */
export function documentFault(error: GraphQLError, extensions = error.extensions): GraphQLError {
  return new GraphQLError(withoutValue(error.message), { ...placeOf(error), extensions });
}

/** The place of an error; the first few places where a document repeats it. */
function placeOf({ nodes, source, positions, path }: GraphQLError) {
  return { nodes: nodes?.slice(0, PLACES_MAX), source, positions: positions?.slice(0, PLACES_MAX), path };
}

/** Errors of an answer that fit into 4 KiB, beside its names if it `hasData`. The last one says how many more there are. */
export function boundErrors(errors: readonly GraphQLError[], hasData: boolean): readonly GraphQLError[] {
  const bytesMax = hasData ? ERRORS_BYTES_MAX - NAMES_BYTES_MAX : ERRORS_BYTES_MAX;
  let bytes = 0;
  const end = errors.findIndex((error, index) => {
    bytes += Buffer.byteLength(JSON.stringify(error)) + 1;
    return index >= SHOWN_FAULTS_MAX || (index > 0 && bytes > bytesMax);
  });
  if (end < 0) return errors;
  const last = errors[end - 1];
  const { message, extensions } = last ?? new GraphQLError('');
  const more = new GraphQLError(`${message} And ${errors.length - end} more.`, {
    ...(last && placeOf(last)),
    extensions,
  });
  return [...errors.slice(0, end - 1), more];
}

/** The code and the field of a public error, for the request log. */
export function refusalIn({ extensions }: GraphQLError): Refusal {
  const { code, errors } = extensions;
  const [fault] = Array.isArray(errors) ? (errors as readonly { readonly field?: unknown }[]) : [];
  return {
    code: typeof code === 'string' ? code.toLowerCase() : 'internal_error',
    field: typeof fault?.field === 'string' ? fault.field : null,
  };
}
