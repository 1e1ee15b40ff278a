/** Failures in GraphQL's shape: `extensions.code` is the upper-case of the code (contract §3), and nothing unexpected is told. */
import { GraphQLError } from 'graphql';
import type { Ctx } from '../context.ts';
import { toAppError } from '../db/failures.ts';
import { AppError } from '../kernel/errors.ts';

/** The public form of an error of an execution. What nobody expected is logged here, once, and masked. */
export function toPublicError(error: unknown, ctx: Pick<Ctx, 'log' | 'requestId'>): GraphQLError {
  const known = toAppError(error);
  if (known) return publicError(known, error);
  if (error instanceof GraphQLError && !error.originalError) return withCode(error);
  ctx.log.error({ err: error }, 'an unexpected error was masked');
  return publicError(
    new AppError('internal_error', 'Something went wrong. Name the requestId when you report it.'),
    error,
    { requestId: ctx.requestId },
  );
}

function publicError(failure: AppError, error: unknown, more: object = {}): GraphQLError {
  const { nodes, source, positions, path } = error instanceof GraphQLError ? error : {};
  return new GraphQLError(failure.message, {
    nodes,
    source,
    positions,
    path,
    extensions: { code: failure.code.toUpperCase(), ...failure.details, ...more },
  });
}

/** A fault of the document or its variables. Those without a code are input that does not fit its type. */
function withCode(error: GraphQLError): GraphQLError {
  if (error.extensions.code !== undefined) return error;
  const { message, nodes, source, positions, path, extensions } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    extensions: { ...extensions, code: 'INVALID_INPUT' },
  });
}
