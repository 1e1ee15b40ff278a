/** What every verb is given: who asks, on whose behalf, and the means to do it. Made once for each request or job. */

import type { Providers } from './channels/registry.ts';
import type { Database, Em } from './db/orm.ts';
import type { Channel } from './kernel/channel.ts';
import type { KeyRing } from './kernel/crypto/key-ring.ts';
import type { Area } from './kernel/crypto/secrets.ts';
import { AppError } from './kernel/errors.ts';
import type { SettingsFacts } from './kernel/settings/settings-facts.ts';
import type { Logger } from './observability/logger.ts';
import type { Metrics } from './observability/metrics.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { Jobs } from './queue/kit.ts';

/** `off`: nothing is looked at. `observe`: what would be refused is sent, and recorded. `block`: it is refused. */
export type FraudMode = 'off' | 'observe' | 'block';

/** How the OTPs of an account are limited and guarded. */
export interface OtpSettings {
  /** Seconds before a recipient is sent another OTP of the same area. */
  readonly cooldownSeconds: number;
  /** OTPs to one recipient in an hour. */
  readonly sendsPerHour: number;
  /** OTPs to one recipient in 24 hours. */
  readonly sendsPerDay: number;
  /** Wrong codes for one recipient in 24 hours, over all of its pins. */
  readonly wrongCodesPerDay: number;
  /** Wrong codes from one address in 5 minutes. */
  readonly wrongCodesPerAddress: number;
  /** Wrong codes of the account in a minute, over all of its tokens, pins and addresses. */
  readonly wrongCodesPerAccount: number;
  /** Where OTPs go: ISO 3166-1 alpha-2 in upper case, or `['*']` for everywhere; null: nobody has chosen yet, so everywhere. */
  readonly countries: readonly string[] | null;
  readonly fraudMode: FraudMode;
}

/** The template of a cloud number that carries a code, where the number takes templates only. */
export interface OtpTemplate {
  readonly name: string;
  /** As the provider writes it: `en_US`. */
  readonly language: string;
}

/** A sender that an account may send from, as routing sees it. */
export interface SenderGrant {
  readonly channel: Channel;
  readonly address: string;
  readonly approved: boolean;
  readonly isDefault: boolean;
  readonly templateRequired: boolean;
  /** The template that carries a code, of a cloud number that has one. */
  readonly otpTemplate: OtpTemplate | null;
}

/** The account behind a token. Read with the token, at most one second old. */
export interface AccountGrant {
  readonly id: string;
  readonly unifiedApi: boolean;
  /** Whether the plan was over when the database last looked. */
  readonly planExpired: boolean;
  /** Requests a second for each of its tokens; null: no limit. */
  readonly rateLimit: number | null;
  readonly otp: OtpSettings;
  readonly senders: readonly SenderGrant[];
}

/** Who asks. An operator may act for an account; a worker acts for the account of the row that it works on. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token'; readonly tokenId: string; readonly area: Area; readonly account: AccountGrant }
  | { readonly kind: 'operator'; readonly account: AccountGrant | null };

/** The time, so that tests can set it. What decides (expiry, leases, limits) is the database's clock, not this one. */
export interface Clock {
  now(): Date;
}

/** What a process shares between its requests. */
export interface Services {
  readonly database: Database;
  readonly providers: Providers;
  /** Whether the sandbox answers (`SANDBOX`): its phones can be read then. */
  readonly hasSandbox: boolean;
  readonly jobs: Jobs;
  readonly metrics: Metrics;
  /** The keys that are derived from `SECRET_KEY`. */
  readonly keys: KeyRing;
  /** Requests to addresses that customers chose. */
  readonly outbound: Outbound;
  readonly home: Home;
  /** What was chosen, for who asks how the gateway stands. */
  readonly settings: SettingsFacts;
}

/** Where the gateway lives: its address, and the file of the demo account in its data directory. */
export interface Home {
  url(): string;
  /** The content of `demo.json`; null where there is none. */
  readDemo(): unknown;
  /** Writes `demo.json`, mode 0600. */
  writeDemo(content: object): void;
}

/** The context of one request or job. */
export interface Ctx {
  /** The unit of work of this request. */
  readonly em: Em;
  readonly actor: Actor;
  /** Also the header `X-Request-Id`. */
  readonly requestId: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Aborts when the caller is gone or the time of the request is over. A send that was accepted ignores it. */
  readonly signal: AbortSignal;
  readonly services: Services;
  readonly exchange: Exchange;
}

/** What the headers of a request and of its answer mean to a verb, whatever the transport. */
export interface Exchange {
  /** The header `Idempotency-Key`, unquoted: the reference of a send. */
  readonly idempotencyKey: string | null;
  /** The address that the request came from: the socket's, or what trusted proxies say it is. */
  readonly clientAddress: string;
  /** Whether a page of another origin asks, in a browser: such a page never does passcodes (interface, security rule 8). */
  readonly isCrossOrigin: boolean;
  /** Headers for the answer. */
  readonly headers: Map<string, string>;
  /** Tells that the request waits for a provider, and is no work of this process meanwhile; absent where nobody counts. */
  readonly stepAside?: (() => void) | undefined;
}

/** The account that the caller acts for, and the area. @throws AppError `unauthenticated`, or `invalid_input` for an operator who named none. */
export function requireAccount(ctx: Ctx): { account: AccountGrant; area: Area } {
  const { actor } = ctx;
  if (actor.kind === 'token') return { account: actor.account, area: actor.area };
  if (actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (!actor.account)
    throw new AppError('invalid_input', 'Name the account to act for in the header X-Account-Id.', {
      errors: [{ field: 'X-Account-Id', message: 'name the account to act for' }],
    });
  return { account: actor.account, area: 'unified' };
}

/** Lets only an operator pass. @throws AppError `unauthenticated`, `wrong_area`. */
export function requireOperator(ctx: Ctx): void {
  if (ctx.actor.kind === 'anonymous') throw new AppError('unauthenticated');
  if (ctx.actor.kind !== 'operator') throw new AppError('wrong_area', 'This needs the operator token.');
}

/**
 * Makes contexts with a unit of work that is forked when it is first asked for: the hot path never needs one. With `endsWith` what it
 * does in the database ends with that signal.
 */
export function createCtx(parts: Omit<Ctx, 'em'>, endsWith?: AbortSignal): Ctx {
  let em: Em | null = null;
  return {
    ...parts,
    get em() {
      em ??= parts.services.database.fork(endsWith);
      return em;
    },
  };
}

/** The most that a request may take which waits for nobody but the database, in milliseconds. */
export const DEADLINE_MS = 10_000;

/**
 * Runs something of a request until its time is over or its caller is gone: then its statements in the database are cancelled, and
 * what is left of it is waited for no longer. `run` gets a context whose signal and unit of work end with it.
 * @throws AppError `overloaded` when the time is over, and what `run` throws.
 */
export async function withinDeadline<Result>(
  { actor, requestId, log, clock, signal: gone, services, exchange }: Ctx,
  run: (ctx: Ctx) => Result | PromiseLike<Result>,
  deadlineMs = DEADLINE_MS,
): Promise<Result> {
  const controller = new AbortController();
  const over = Promise.withResolvers<never>();
  const end = (message: string): void => {
    const reason = new AppError('overloaded', message, { retryAfter: 1 });
    over.reject(reason);
    controller.abort(reason);
  };
  // Never taken away: what is begun (a subscription) may go on, until its caller is gone.
  const onGone = (): void => end('The caller is gone.');
  if (gone.aborted) onGone();
  else gone.addEventListener('abort', onGone, { once: true });
  const timer = setTimeout(() => end('The request took too long and was ended. Try again in a moment.'), deadlineMs);
  const { signal } = controller;
  const ctx = createCtx({ actor, requestId, log, clock, signal, services, exchange }, signal);
  try {
    return await Promise.race([Promise.resolve(ctx).then(run), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
