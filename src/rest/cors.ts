/** CORS: pages of the origins that the operator named may call the API from a browser, but not for OTPs. */
import type { Env, Hono } from 'hono';
import type { Route } from './mount.ts';
import { formsOf } from './route-path.ts';

/** Headers that a page may send beside those that every page may. */
const ALLOWED_HEADERS = 'authorization, content-type, idempotency-key, x-request-id';

/** Headers that a page may read beside those that every page may. */
const EXPOSED_HEADERS = 'x-request-id, retry-after, ratelimit, ratelimit-policy, idempotency-replayed';

/** How long a browser need not ask again, in seconds. */
const MAX_AGE_SECONDS = 600;

/** Pages may call the GraphQL endpoint (which refuses OTPs itself), `/plants`, and the unified API without OTPs. */
function isOpen(path: string): boolean {
  return path === '/graphql' || path === '/plants' || (path.startsWith('/api/omni/') && !path.includes('/otp/'));
}

/**
 * Lets pages of these origins read answers, and answers the preflights of their browsers. Without origins nothing is registered.
 * No credentials of a browser are accepted: a page sends a token or none. Register it before what it is for.
 */
export function serveOrigins<E extends Env>(app: Hono<E>, routes: readonly Route[], origins: readonly string[]): void {
  if (origins.length === 0) return;
  const known = new Set(origins);
  const methods = new Map<string, string>(routes.map(({ path, method }) => [path, method]));
  methods.set('/graphql', 'POST, GET');
  for (const [path, method] of methods) {
    if (!isOpen(path)) continue;
    app.on('ALL', [...formsOf(path)], async (context, next) => {
      const origin = context.req.header('origin') ?? '';
      const isPreflight = context.req.method === 'OPTIONS' && context.req.header('access-control-request-method');
      if (known.has(origin) && isPreflight) {
        context.header('access-control-allow-methods', method);
        context.header('access-control-allow-headers', ALLOWED_HEADERS);
        context.header('access-control-max-age', String(MAX_AGE_SECONDS));
        context.header('access-control-allow-origin', origin);
        context.header('vary', 'Origin');
        return context.body(null, 204);
      }
      await next();
      context.res.headers.append('vary', 'Origin');
      if (!known.has(origin)) return;
      context.res.headers.set('access-control-allow-origin', origin);
      context.res.headers.set('access-control-expose-headers', EXPOSED_HEADERS);
    });
  }
}
