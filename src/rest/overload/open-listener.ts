/** Listens with the bounds of a process: of requests in work, of connections of an address; and tells of what they refuse. */
import type { TrustedProxies } from '../../kernel/network/address.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { type StyledPath, styleOf } from '../http.ts';
import { KnownCallers } from '../request-log/known-callers.ts';
import { type TellingOptions, tellEarly } from '../request-log/tell-requests.ts';
import { type Fetch, type Listener, listen } from '../server/listen.ts';
import { createAdmission } from './admission.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { boundConnections } from './connection-bound.ts';

interface OpeningOptions {
  readonly host: string;
  readonly port: number;
  readonly trustedProxies: TrustedProxies | null;
  /** `PUBLIC_URL`; null: it is not set. */
  readonly publicUrl: string | null;
  readonly maxConcurrentRequests: number;
  readonly connectionsPerAddress: number;
  readonly connectionsPerAccount: number;
  /** The paths that are served, of doors too. */
  readonly routes: readonly StyledPath[];
  readonly requestLog: TellingOptions['requestLog'];
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Listens. @throws StartError where the address cannot be had */
export function openListener(fetch: Fetch, options: OpeningOptions): Promise<Listener> {
  const { host, port, metrics, routes, trustedProxies, publicUrl } = options;
  const style = (path: string) => styleOf(routes, path);
  const callers = new KnownCallers();
  const onRefused = tellEarly({ ...options, callers });
  const limit = new ConcurrencyLimit(options.maxConcurrentRequests);
  const bound = boundConnections(options);
  const known = { trustedProxies, publicUrl, callers };
  const admission = createAdmission({ limit, metrics, styleOf: style, ...known, bound, onRefused });
  return listen(fetch, { host, port, admission, styleOf: style, bound, metrics, onRefused });
}
