/** Requests to addresses that customers choose: only public ones are reached, no redirect is followed, and one deadline covers everything. */
import { createDial } from './dial.ts';
import { OutboundError, refused, stopping } from './faults.ts';
import { Pool } from './pool.ts';
import { type OutboundRequest, type OutboundResult, Post } from './post.ts';
import { createResolve, type Resolve } from './resolve.ts';
import { createFindAddresses, type FindAddresses, readTarget, type Target } from './target.ts';

export { OUTBOUND_FAULTS, type OutboundFault } from './faults.ts';
export type { OutboundRequest, OutboundResult } from './post.ts';
export type { Resolve } from './resolve.ts';

/** The process's way to its customers' endpoints. */
export interface Outbound {
  /** Why the URL may not be used, as the mend of its field, or null. A name that is not resolved within 1 s passes: connections are checked again. */
  check(url: string): Promise<string | null>;
  /** Sends a request and answers what became of it by the deadline, whatever it is; never throws. */
  post(request: OutboundRequest): Promise<OutboundResult>;
  /** Stops what is under way, which fails, and closes all connections. */
  close(): Promise<void>;
}

/** The options of an outbound. */
export interface OutboundOptions {
  /** CIDRs that may be reached, on any port, though they are not public. */
  readonly allowedNetworks: readonly string[];
  /** How names are looked up; unset: by the servers of names of this machine. */
  readonly resolve?: Resolve;
  /** The `User-Agent`; unset: `Heliograph`. */
  readonly userAgent?: string;
  /** Certificates (PEM) that are believed instead of the well-known ones. */
  readonly ca?: string;
}

/** For how long `check` waits for a name. */
const CHECK_MS = 1_000;

/** How many URLs are remembered as what they mean: they are few, and each is posted to over and over. */
const TARGETS_MAX = 1_000;

/** `readTarget` with a memory. */
function createTargets(): typeof readTarget {
  const known = new Map<string, Target | string>();
  return url => {
    const target = known.get(url) ?? readTarget(url);
    if (known.size >= TARGETS_MAX) known.clear();
    known.set(url, target);
    return target;
  };
}

/** Opens a process's way to its customers' endpoints. */
export function createOutbound(options: OutboundOptions): Outbound {
  const findAddresses = createFindAddresses(options.allowedNetworks, options.resolve ?? createResolve());
  const pool = new Pool(createDial(findAddresses, options.ca));
  const headers = {
    'content-type': 'application/json',
    // Packing short answers saves nothing, and unpacking is work that a stranger could choose the size of.
    'accept-encoding': 'identity',
    'user-agent': options.userAgent ?? 'Heliograph',
  };
  const targetOf = createTargets();
  let isClosed = false;
  return {
    check: url => check(url, findAddresses),
    post(request) {
      const target = targetOf(request.url);
      if (typeof target === 'string') return Promise.resolve(unsent(refused(target)));
      if (isClosed) return Promise.resolve(unsent(stopping()));
      return new Promise(resolve => {
        new Post(pool, target, { ...request, headers: { ...headers, ...request.headers } }, resolve);
      });
    },
    close() {
      isClosed = true;
      return pool.close();
    },
  };
}

async function check(url: string, findAddresses: FindAddresses): Promise<string | null> {
  const target = readTarget(url);
  if (typeof target === 'string') return target;
  const patience = new AbortController();
  const over = Promise.withResolvers<null>();
  const timer = setTimeout(() => {
    patience.abort();
    over.resolve(null);
  }, CHECK_MS);
  try {
    return await Promise.race([over.promise, findAddresses(target, patience.signal).then(() => null, mendOf)]);
  } finally {
    clearTimeout(timer);
  }
}

function mendOf(error: unknown): string | null {
  if (error instanceof OutboundError) return error.mend;
  throw error;
}

function unsent({ fault, message }: OutboundError): OutboundResult {
  return { kind: 'failed', code: fault, message, durationMs: 0 };
}
