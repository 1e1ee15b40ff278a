/** Lets one try to sign in take its turn: who comes by a known device does not wait, and is not counted, with strangers. */
import type { Ctx } from '../../../context.ts';
import { AppError } from '../../../kernel/errors.ts';
import { limitKey, networkKey } from '../../../kernel/network/address.ts';
import { DashboardUser } from '../people/dashboard-user.entity.ts';
import { countsOfDevice, countsOfStrangers, guardSignIn } from './guard-sign-in.ts';
import { type KnownDevice, readDevice } from './known-device.ts';
import { knownLane, strangersLane } from './password-lane.ts';

/** What is tried. */
export interface Try<Of> {
  /** The e-mail address that is given, in lower case; null: the operator signs in. */
  readonly email: string | null;
  /** Finds who it is; null: nobody. */
  find(): Promise<Of | null>;
  /** What the person signs in by as it is stored: a device is known until it changes. */
  secretOf(found: Of): string;
  /** Whether what was given is right. It takes as long where there is nobody. */
  isRight(found: Of | null): Promise<boolean>;
}

/** The name of who tries on the device; no e-mail address is this. */
export function deviceNameOf(email: string | null): string {
  return email === null ? 'operator' : `person ${email}`;
}

/** Who signed in; null: what was given is wrong. @throws AppError `rate_limited` where no place is left */
export async function trySignIn<Of>(ctx: Ctx, tried: Try<Of>): Promise<Of | null> {
  // Sends are not to wait for a place that only waits.
  ctx.request.stepAside?.();
  const device = readDevice(ctx, deviceNameOf(tried.email));
  const known = device && (await asKnown(ctx, device, tried));
  if (known) return known.found;
  const { clientAddress } = ctx.request;
  const keys = [
    ...(tried.email === null ? [] : [deviceNameOf(tried.email)]),
    `address ${limitKey(clientAddress) ?? clientAddress}`,
    `network ${networkKey(clientAddress) ?? clientAddress}`,
  ];
  return strangersLane.run(keys, ctx.signal, async () => {
    const candidate = await tried.find();
    return look(ctx, countsOfStrangers(ctx, tried.email), tried, candidate);
  });
}

/** What a known device found; null: it is known no more, or has tried too often, and is a stranger's. */
async function asKnown<Of>(
  ctx: Ctx,
  device: KnownDevice,
  tried: Try<Of>,
): Promise<{ readonly found: Of | null } | null> {
  return knownLane.run([deviceNameOf(tried.email)], ctx.signal, async () => {
    const candidate = await tried.find();
    if (candidate === null || !device.isFor(tried.secretOf(candidate))) return null;
    try {
      return { found: await look(ctx, countsOfDevice(device), tried, candidate) };
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limited') return null;
      throw error;
    }
  });
}

function look<Of>(
  ctx: Ctx,
  counts: Parameters<typeof guardSignIn>[1],
  { email, isRight }: Try<Of>,
  candidate: Of | null,
): Promise<Of | null> {
  const user = candidate instanceof DashboardUser ? candidate : null;
  return guardSignIn(ctx, counts, email === null ? null : { email, user }, async () =>
    (await isRight(candidate)) ? candidate : null,
  );
}
