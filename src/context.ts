/** The context of every verb: the caller and the services. Made once for each request or job. */
import type { Providers } from './channels/providers.ts';
import type { SessionLinks } from './channels/session.ts';
import type { Database, Em } from './db/orm.ts';
import type { Channel, SenderRule } from './kernel/channel.ts';
import type { KeyRing } from './kernel/crypto/key-ring.ts';
import type { Area } from './kernel/crypto/secrets.ts';
import { AppError, type Refusal } from './kernel/errors.ts';
import type { CloudTemplates } from './kernel/process/cloud-templates.ts';
import type { Lane, Sends } from './kernel/process/gives-way.ts';
import type { Home } from './kernel/process/home.ts';
import type { LazySignal } from './kernel/process/lazy-signal.ts';
import type { Suppressed } from './kernel/process/suppressed.ts';
import type { Role } from './kernel/role.ts';
import type { SettingsFacts } from './kernel/settings/settings-facts.ts';
import type { SuccessStatus } from './kernel/status.ts';
import type { Mail } from './mail/mail.ts';
import type { Logger } from './observability/logger.ts';
import type { Metrics } from './observability/metrics.ts';
import type { Traces } from './observability/traces/traces.ts';
import type { Oidc } from './outbound/oidc.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { Jobs } from './queue/kit.ts';

/** `off`: no check. `observe`: suspicious sends are recorded. `block`: they are refused. */
export type FraudMode = 'off' | 'observe' | 'block';

/** Limits and fraud guard of an account's OTPs. */
export interface OtpSettings {
  /** Seconds before a recipient can get another OTP of the same area. */
  readonly cooldownSeconds: number;
  /** OTPs to one recipient in an hour. */
  readonly sendsPerHour: number;
  /** OTPs to one recipient in 24 hours. */
  readonly sendsPerDay: number;
  /** OTPs in an hour for one end user's address, of those sends that name it; null: no limit. */
  readonly sendsPerAddress: number | null;
  /** Wrong codes for one recipient in 24 hours, over all of its pins. */
  readonly wrongCodesPerDay: number;
  /** Wrong codes from one address in 5 minutes. */
  readonly wrongCodesPerAddress: number;
  /** Wrong codes of the account in a minute, over all of its tokens, pins and addresses; null: no limit. */
  readonly wrongCodesPerAccount: number | null;
  /** Allowed countries: ISO 3166-1 alpha-2 in upper case, or `['*']` for all; null: not set, so all. */
  readonly countries: readonly string[] | null;
  readonly fraudMode: FraudMode;
  /** Whether the SMS of an OTP goes out with its typographic characters as GSM ones. */
  readonly smartEncoding: boolean;
}

/** The template with which a cloud number sends codes. */
export interface OtpTemplate {
  readonly name: string;
  /** In the provider's notation: `en_US`. */
  readonly language: string;
}

/** A sender of an account, for routing. */
export interface SenderGrant {
  readonly channel: Channel;
  readonly address: string;
  readonly approved: boolean;
  readonly isDefault: boolean;
  readonly templateRequired: boolean;
  /** The template for codes, if a cloud number has one. */
  readonly otpTemplate: OtpTemplate | null;
}

/** The account of a token. Read with the token, at most one second old. */
export interface AccountGrant {
  readonly id: string;
  readonly unifiedApi: boolean;
  /** Whether the plan had expired at that time. */
  readonly planExpired: boolean;
  /** Requests a second for each of its tokens; null: no limit. */
  readonly rateLimit: number | null;
  /** Whether the SMS of a message goes out with its typographic characters as GSM ones. */
  readonly smartEncoding: boolean;
  /** Seconds that an accepted channel has, where a send names none; null: no other follows it. */
  readonly fallbackAfter: number | null;
  readonly successStatus: SuccessStatus;
  /** Whether the request log keeps accepted requests of its tokens too. */
  readonly logsAccepted: boolean;
  readonly otp: OtpSettings;
  readonly stopsOtps: boolean;
  readonly senders: readonly SenderGrant[];
}

/** The sender rules as this process knows them. */
export interface SenderRules {
  /** By the country that they are for. */
  readonly byCountry: ReadonlyMap<string, readonly SenderRule[]>;
  /** Reads them again. */
  refresh(): Promise<void>;
}

/** A person who is signed in to an account. */
export interface UserActor {
  readonly kind: 'user';
  readonly userId: string;
  /** In lower case. */
  readonly email: string;
  readonly sessionId: string;
  readonly role: Role;
  readonly account: AccountGrant;
  /** Whether the account requires a second factor that the person has not: until then nothing else is open. */
  readonly mustEnrol: boolean;
}

/** The refusal of a caller who is not known. */
export function unauthenticated({ refusal }: { readonly refusal?: AppError }): AppError {
  return refusal ?? new AppError('unauthenticated', 'A token is required: Authorization: Bearer <token>.');
}

/** The operator, who runs the gateway; `sessionId`: if signed in by a browser. */
export interface OperatorActor {
  readonly kind: 'operator';
  readonly account: AccountGrant | null;
  readonly sessionId?: string;
}

/** The caller; `refusal` says what was wrong with a token of nobody. An operator may act for an account; a worker acts for the account of the row in work. */
export type Actor =
  | { readonly kind: 'anonymous'; readonly refusal?: AppError }
  | { readonly kind: 'token'; readonly tokenId: string; readonly area: Area; readonly account: AccountGrant }
  | UserActor
  | OperatorActor;

/** The time that rows are dated by: the database's, as this process knows it; tests can set it. Expiry, leases and limits ask the database itself. */
export interface Clock {
  now(): Date;
}

/** The services that all requests of a process share. */
export interface Services {
  readonly database: Database;
  readonly providers: Providers;
  readonly sessions: SessionLinks;
  /** Whether the sandbox is on (`SANDBOX`), so its phones can be read. */
  readonly hasSandbox: boolean;
  readonly senderRules: SenderRules;
  readonly suppressed: Suppressed;
  readonly cloudTemplates: CloudTemplates;
  readonly jobs: Jobs;
  readonly metrics: Metrics;
  /** Null: they are off, and a send costs nothing for them. */
  readonly traces: Traces | null;
  /** The sends, to which others give way. */
  readonly sends: Sends;
  /** The turns of queries. */
  readonly queries: Lane;
  readonly keys: KeyRing;
  /** For requests to addresses that customers chose. */
  readonly outbound: Outbound;
  readonly mail: Mail;
  /** The provider that people may sign in by; null: there is none. */
  readonly oidc: Oidc | null;
  readonly home: Home;
  /** The SHA-256 of the operator's token, lower-case hex; null: there is none. */
  readonly operatorHash: string | null;
  /** For `doctor`. */
  readonly settings: SettingsFacts;
}

interface CtxParts extends Pick<Ctx, 'actor' | 'requestId' | 'clock' | 'services' | 'request'> {
  /** Makes the log; asked once, on first use. */
  log(): Logger;
  /** The signal that aborts when the caller disconnects; asked at each use. */
  signal(): AbortSignal;
}

/**
 * The context of one request or job. Parts that few requests need are made on first use. Accessors stand in a class: V8 makes those of an
 * object literal in the old generation, where they would keep all of the request.
 */
export class Ctx {
  readonly actor: Actor;
  /** Also the header `X-Request-Id`. */
  readonly requestId: string;
  readonly clock: Clock;
  readonly services: Services;
  readonly request: RequestFacts;
  readonly #parts: CtxParts;
  readonly #ending: LazySignal | undefined;
  #log: Logger | null = null;
  #em: Em | null = null;

  /** @param ending ends its signal and its statements, in place of the signal of `parts`, which ends no statement */
  constructor(parts: CtxParts, ending?: LazySignal) {
    this.actor = parts.actor;
    this.requestId = parts.requestId;
    this.clock = parts.clock;
    this.services = parts.services;
    this.request = parts.request;
    this.#parts = parts;
    this.#ending = ending;
  }

  get log(): Logger {
    this.#log ??= this.#parts.log();
    return this.#log;
  }

  /** Aborts when the caller disconnects or the request times out. An accepted send ignores it. */
  get signal(): AbortSignal {
    return this.#ending ? this.#ending.signal : this.#parts.signal();
  }

  /** The unit of work of this request. */
  get em(): Em {
    this.#em ??= this.services.database.fork(this.#ending?.signal);
    return this.#em;
  }

  /**
   * The same request with other parts, and a unit of work of its own. A spread would leave out what is made on first use.
   * @param ending ends the statements of that unit; absent: nothing does
   */
  with(changes: Partial<CtxParts>, ending?: LazySignal): Ctx {
    const { actor, requestId, clock, services, request } = this;
    const parts = { actor, requestId, clock, services, request, log: () => this.log, signal: () => this.signal };
    return new Ctx({ ...parts, ...changes }, ending);
  }
}

/** The headers of a request and its answer, independent of the transport. */
export interface RequestFacts {
  /** The header `Idempotency-Key` as it came: the reference of a send. */
  readonly idempotencyKey: string | null;
  /** The client's address: the socket's, or that from trusted proxies. */
  readonly clientAddress: string;
  /** Whether a page of another origin sent this: it must never handle OTPs (interface, security rule 8). */
  readonly isCrossOrigin: boolean;
  /** The header `User-Agent`; null: none. */
  readonly userAgent: string | null;
  /** The header `Cookie`; null: none. */
  readonly cookies: string | null;
  /** Header fields to add to the answer. */
  readonly answerHeaders: Map<string, string>;
  /** How many rows of a stream were left out before the one that is told next. */
  readonly gap: { rows: number };
  /** Set where an answer with the status of a success refuses something. */
  refusal?: Refusal;
  /** A code that another server made and verifies. No caller gives one: the signed hook of Supabase sets it. */
  givenCode?: string;
  /** Set at a door. Wrong codes are not counted by its address, since one server asks for many people. Only OTPs of its own area are listed. */
  isAtDoor?: boolean;
  /** Header fields `Set-Cookie` to add to an answer of GraphQL. */
  readonly answerCookies: string[];
  /** Tells that the request waits for a provider and uses no capacity meanwhile; absent if nobody counts. */
  readonly stepAside?: (() => void) | undefined;
}

/**
 * The account that the caller acts for, and the area; people and operators act as tokens of the area `unified` do.
 * @throws AppError `unauthenticated`; `invalid_input` where an operator named none
 */
export function requireAccount(ctx: Pick<Ctx, 'actor'>): { account: AccountGrant; area: Area } {
  const { actor } = ctx;
  if (actor.kind === 'token') return { account: actor.account, area: actor.area };
  if (actor.kind === 'user') return { account: actor.account, area: 'unified' };
  if (actor.kind === 'anonymous') throw unauthenticated(actor);
  if (!actor.account)
    throw new AppError('invalid_input', 'Name the account to act for in the header X-Account-Id.', {
      errors: [{ field: 'X-Account-Id', message: 'name the account to act for' }],
    });
  return { account: actor.account, area: 'unified' };
}

/** The account that the caller manages; null: all. @throws AppError `unauthenticated`, `wrong_area` */
export function managedAccount(ctx: Ctx): string | null {
  if (ctx.actor.kind === 'operator') return ctx.actor.account?.id ?? null;
  const { account, area } = requireAccount(ctx);
  if (ctx.actor.kind !== 'user' && area !== 'management') throw new AppError('wrong_area');
  return account.id;
}

/** Requires an operator. @throws AppError `unauthenticated`, `wrong_area` */
export function requireOperator(ctx: Ctx): void {
  if (ctx.actor.kind === 'anonymous') throw unauthenticated(ctx.actor);
  if (ctx.actor.kind !== 'operator') throw new AppError('wrong_area', 'This needs the operator token.');
}
