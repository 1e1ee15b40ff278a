/** Refusals of the application itself, before any route has its say. */
import type { Context, Hono } from 'hono';
import { AppError } from '../kernel/errors.ts';
import { type FailureMore, type FailureStyle, failure, respond } from './envelope.ts';
import type { Env } from './request-log/tell-requests.ts';

/** The answer to a request that is refused with this error, in the style of its path. */
export function refuse(context: Context<Env>, error: AppError, style: FailureStyle, more?: FailureMore): Response {
  const requestId = context.get('requestId');
  return respond(failure(error, requestId, style, more), requestId);
}

/** Refuses every other method of a path than those that were registered before. `method`: what the answer advises. */
export function refuseOthers(
  app: Hono<Env>,
  path: string,
  method: string,
  style: FailureStyle,
  allow: string = method,
): void {
  app.all(path, context =>
    refuse(context, new AppError('method_not_allowed', `Use ${method} here.`), style, { headers: { allow } }),
  );
}
