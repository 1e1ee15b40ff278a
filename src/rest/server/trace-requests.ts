/** Spans of requests, registered only where traces are on. */
import type { Hono } from 'hono';
import { markFailed, type Traces } from '../../observability/traces/traces.ts';
import type { Env } from '../request-log/tell-requests.ts';
import { formsOf } from '../route-path.ts';

/** The first status that says that the gateway failed. */
const FAILED = 500;

/** Has requests of these paths answered within a span. Handlers of the paths are registered later. */
export function traceRequests(app: Hono<Env>, traces: Traces, paths: ReadonlySet<string>): void {
  for (const path of paths) {
    app.on('ALL', [...formsOf(path)], async (context, next) => {
      const span = traces.beginRequest(context.req.raw, path);
      await next();
      const { status } = context.res;
      span.setAttribute('http.response.status_code', status);
      if (status >= FAILED) markFailed(span, String(status));
      span.end();
    });
  }
}
