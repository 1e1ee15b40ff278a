/** Lets one try to sign in take its turn. A known device does not wait with strangers, and is not counted with them. */
import type { Ctx } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { limitKey, networkKey } from '../../../kernel/network/address.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';
import { countsOfDevice, countsOfStrangers, guardSignIn } from './guard-sign-in.ts';
import { type KnownDevice, readDevice } from './known-device.ts';
import { knownLane, strangersLane, type Turn, type Whom } from './password-lane.ts';

/** One try to sign in. */
export interface Try<Of> {
  /** The e-mail address that is given, in lower case; null: the operator signs in. */
  readonly email: string | null;
  /** Finds who it is; null: nobody. */
  find(): Promise<Of | null>;
  /** The stored secret that is signed in by: a device is known until the secret changes. */
  secretOf(found: Of): string;
  /** Whether the given secret is right. The check takes as long where there is nobody. */
  isRight(found: Of | null): Promise<boolean>;
}

/** The name that a device is known for; no e-mail address is equal to it. */
export function deviceNameOf(email: string | null): string {
  return email === null ? 'operator' : `person ${email}`;
}

/** Checks one try, and answers who signed in; null: the given secret is wrong. @throws AppError `rate_limited` where no place is left */
export async function trySignIn<Of>(ctx: Ctx, tried: Try<Of>): Promise<Of | null> {
  const { clientAddress } = ctx.request;
  const shared = [
    `address ${limitKey(clientAddress) ?? clientAddress}`,
    `network ${networkKey(clientAddress) ?? clientAddress}`,
  ];
  const person = deviceNameOf(tried.email);
  const device = readDevice(ctx, person);
  const candidate = device && (await tried.find());
  // Sends are not to wait for a place that only waits.
  ctx.request.stepAside?.();
  if (device && candidate !== null && device.isFor(tried.secretOf(candidate))) {
    const account = candidate instanceof DashboardUser ? [`account ${candidate.accountId}`] : [];
    const known = await asKnown(ctx, device, tried, candidate, { person, shared: [...shared, ...account] });
    if (known) return known.found;
  }
  const counts = countsOfStrangers(ctx, tried.email);
  // The operator's token costs nothing to compare.
  if (tried.email === null) return look(ctx, counts, tried, await tried.find(), async () => undefined);
  return strangersLane.run({ person, shared }, ctx.signal, async turn =>
    look(ctx, counts, tried, await tried.find(), turn),
  );
}

/** The result for a known device; null: it has tried too often or finds no place, and counts as a stranger. */
async function asKnown<Of>(
  ctx: Ctx,
  device: KnownDevice,
  tried: Try<Of>,
  candidate: Of,
  whom: Whom,
): Promise<{ readonly found: Of | null } | null> {
  try {
    const found = await knownLane.run(whom, ctx.signal, turn =>
      look(ctx, countsOfDevice(device), tried, candidate, turn),
    );
    return { found };
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return null;
    throw error;
  }
}

function look<Of>(
  ctx: Ctx,
  counts: Parameters<typeof guardSignIn>[1],
  { email, isRight }: Try<Of>,
  candidate: Of | null,
  turn: Turn,
): Promise<Of | null> {
  const user = candidate instanceof DashboardUser ? candidate : null;
  return guardSignIn(ctx, counts, email === null ? null : { email, user }, async () => {
    await turn();
    return (await isRight(candidate)) ? candidate : null;
  });
}
