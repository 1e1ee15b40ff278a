/** The verbs *wait for text* and *wait for code*: the next arrival at a phone of the sandbox, for tests of applications. */
import { SANDBOX_ID } from '../../channels/sandbox/provider.ts';
import { type Ctx, requireAccount } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { requirePhone } from '../../kernel/phone.ts';
import { Counts } from '../../kernel/process/counts.ts';
import { followWhileAllowed } from '../accounts/still-allowed.ts';
import { logFeedOf } from '../logs/log-feed.ts';
import { Otp } from '../otp/otp.entity.ts';
import { codeOf } from '../otp/send/code.ts';
import type { Attempt } from '../routing/attempt.entity.ts';
import { listSandboxMessages, requirePhones } from './list-sandbox-messages.ts';
import type { SandboxMessage } from './sandbox-message.entity.ts';
import type { WaitForArrivalInput } from './wait-for-arrival.input.ts';

/** How long it waits where nothing is said, in seconds. */
const WAIT_SECONDS = 30;

/** A text that came so short a time before is the next one too: whoever sends and then waits has just sent it. */
const JUST_MS = 10_000;

/** How many of the newest texts of a phone are searched for a code. */
const SEARCHED = 20;

/** A code as it arrived on a phone. */
export interface SandboxCode {
  readonly code: string;
  readonly pinId: string;
  /** The text that it stands in. */
  readonly message: SandboxMessage;
}

/** How many waits of an account a process has: each holds a request, and looks at what arrives. */
const WAITS_MAX = 100;

const waits = new Counts(WAITS_MAX);

/** A look at what a phone has; null: nothing that is waited for. */
type Look<Found> = (ctx: Ctx, to: string) => Promise<Found | null>;

/** The looks after each arrival, which is one object for all who wait. */
const looks = new WeakMap<Attempt, Map<Look<unknown>, Promise<unknown>>>();

/**
 * The next text to a phone: the newest one, if it came after the wait began or within 10 s before. Null: none came in time.
 * @throws AppError as `listSandboxMessages`; `rate_limited` where the account waits too often already; `database_unavailable`
 */
export async function waitForText(ctx: Ctx, input: WaitForArrivalInput): Promise<SandboxMessage | null> {
  const since = new Date(await ctx.services.database.clock.in(-JUST_MS));
  return untilArrived(ctx, input, findNewest, ({ createdAt }) => createdAt >= since);
}

/**
 * The code of the newest passcode on a phone that can still be verified, as soon as there is one. Null: none came in time.
 * @throws AppError as `listSandboxMessages`; `rate_limited` where the account waits too often already; `database_unavailable`
 */
export async function waitForCode(ctx: Ctx, input: WaitForArrivalInput): Promise<SandboxCode | null> {
  return untilArrived(ctx, input, findCode, () => true);
}

/** Looks at once, and after each arrival at the phone. */
async function untilArrived<Found>(
  ctx: Ctx,
  input: WaitForArrivalInput,
  look: Look<Found>,
  isNext: (found: Found) => boolean,
): Promise<Found | null> {
  const account = requirePhones(ctx);
  // Most have come already.
  const there = await look(ctx, input.to);
  if (there !== null && isNext(there)) return there;
  const leave = waits.enter(account.id);
  if (!leave) throw TOO_MANY;
  try {
    ctx.request.stepAside?.();
    return await follow(ctx, input, look, isNext);
  } finally {
    leave();
  }
}

const TOO_MANY = new AppError(
  'rate_limited',
  `The account waits for ${WAITS_MAX} texts and codes of the sandbox here, as many as it may. End one of these waits first.`,
  { retryAfter: 5 },
);

async function follow<Found>(
  ctx: Ctx,
  { to, timeoutSeconds }: WaitForArrivalInput,
  look: Look<Found>,
  isNext: (found: Found) => boolean,
): Promise<Found | null> {
  const phone = requirePhone('to', to).digits;
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout((timeoutSeconds ?? WAIT_SECONDS) * 1_000)]);
  const interest = {
    accountId: requireAccount(ctx).account.id,
    matches: ({ provider, recipient }: Attempt): boolean => provider === SANDBOX_ID && recipient === phone,
  };
  // Before the next look, so that nothing falls between.
  const arrivals = await followWhileAllowed(ctx, logFeedOf(ctx.services.database), interest, requirePhones, signal);
  try {
    let found = await look(ctx, to);
    while (found === null || !isNext(found)) {
      const arrival = await arrivals.next();
      if (arrival.done) return null;
      found = await lookTogether(arrival.value, look, ctx, to);
    }
    return found;
  } finally {
    await arrivals.return?.();
  }
}

/** Looks once for all who wait for the same: an account may send and wait by the hundred. */
function lookTogether<Found>(arrival: Attempt, look: Look<Found>, ctx: Ctx, to: string): Promise<Found | null> {
  const ofArrival = looks.get(arrival) ?? new Map<Look<unknown>, Promise<unknown>>();
  looks.set(arrival, ofArrival);
  const shared = ofArrival.get(look) as Promise<Found | null> | undefined;
  // The request that looks may end before: that is no answer to the others.
  if (shared) return shared.catch(() => look(ctx, to));
  const found = look(ctx, to);
  ofArrival.set(look, found);
  return found;
}

async function findNewest(ctx: Ctx, to: string): Promise<SandboxMessage | null> {
  const [newest = null] = await listSandboxMessages(ctx, { to, first: 1 });
  return newest;
}

/** Only what stands in a text of the sandbox is told: a code that went to a real phone is none of the sandbox's. */
async function findCode(ctx: Ctx, to: string): Promise<SandboxCode | null> {
  const { database, keys } = ctx.services;
  const messages = await listSandboxMessages(ctx, { to, first: SEARCHED });
  const [newest] = messages;
  if (!newest) return null;
  const live = await database.fork().find(Otp, {
    accountId: newest.accountId,
    recipient: newest.recipient,
    status: ['pending', 'sent'],
    expiresAt: { $gt: new Date(await database.clock.in(0)) },
  });
  for (const message of messages) {
    for (const otp of live) {
      const code = codeOf(keys, otp);
      if (code !== null && message.text.includes(code)) return { code, pinId: otp.id, message };
    }
  }
  return null;
}
