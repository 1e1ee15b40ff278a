/** The verbs *wait for text* and *wait for code*: what comes next to a phone of the sandbox, for the tests of those who send through the gateway. */
import { SANDBOX_ID } from '../../channels/sandbox/provider.ts';
import { type Ctx, requireAccount } from '../../context.ts';
import { followWhileAllowed } from '../accounts/still-allowed.ts';
import { logFeedOf } from '../logs/log-feed.ts';
import { Otp } from '../otp/otp.entity.ts';
import { codeOf } from '../otp/send/code.ts';
import type { Attempt } from '../routing/attempt.entity.ts';
import { listSandboxMessages, readPhone, requirePhones } from './list-sandbox-messages.ts';
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

/**
 * The next text to a phone: the newest one, if it came after the wait began or within 10 s before. Null: none came in time.
 * @throws AppError as `listSandboxMessages`; `database_unavailable`
 */
export async function waitForText(ctx: Ctx, input: WaitForArrivalInput): Promise<SandboxMessage | null> {
  const { to } = input;
  const since = new Date(await ctx.services.database.clock.in(-JUST_MS));
  return untilArrived(ctx, input, async () => {
    const [newest] = await listSandboxMessages(ctx, { to, first: 1 });
    return newest && newest.createdAt >= since ? newest : null;
  });
}

/**
 * The code of the newest passcode on a phone that can still be verified, as soon as there is one. Null: none came in time.
 * @throws AppError as `listSandboxMessages`; `database_unavailable`
 */
export async function waitForCode(ctx: Ctx, input: WaitForArrivalInput): Promise<SandboxCode | null> {
  return untilArrived(ctx, input, () => findCode(ctx, input.to));
}

/** Looks at once, and after each arrival at the phone. */
async function untilArrived<Found>(
  ctx: Ctx,
  input: WaitForArrivalInput,
  look: () => Promise<Found | null>,
): Promise<Found | null> {
  requirePhones(ctx);
  const { to, timeoutSeconds } = input;
  const phone = readPhone(to);
  const { id: accountId } = requireAccount(ctx).account;
  // Most have come already.
  const there = await look();
  if (there) return there;
  ctx.request.stepAside?.();
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout((timeoutSeconds ?? WAIT_SECONDS) * 1_000)]);
  const feed = logFeedOf(ctx.services.database);
  const matches = ({ provider, recipient }: Attempt): boolean => provider === SANDBOX_ID && recipient === phone;
  // Before the next look, so that nothing falls between.
  const arrivals = await followWhileAllowed(ctx, feed, { accountId, matches }, requirePhones, signal);
  try {
    do {
      const found = await look();
      if (found) return found;
    } while (!(await arrivals.next()).done);
    return null;
  } finally {
    await arrivals.return?.();
  }
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
