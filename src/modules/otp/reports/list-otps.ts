/** The verbs that read OTPs and their attempts. Another account's, or another area's, do not exist for the caller. */
import type { FilterQuery } from '@mikro-orm/core';
import { type Ctx, requireAccount } from '../../../context.ts';
import { createdWithin, given, ID_SLACK_MS, idBounds, keyRange, type Page, readPage } from '../../../db/page.ts';
import { parseId, uuidFloorAfter } from '../../../kernel/ids.ts';
import { parsePhone } from '../../../kernel/phone.ts';
import { type ReadScope, readScope } from '../../accounts/read-scope.ts';
import { Attempt, byRoute, type ChannelAttempt, isChannelAttempt } from '../../routing/attempt.entity.ts';
import { withUnderWay } from '../../routing/under-way.ts';
import { Otp } from '../otp.entity.ts';
import { OTP } from '../send/otp-kind.ts';
import type { ListOtpsInput } from './list-otps.input.ts';

/** The position of an OTP in the list. Its id cannot serve: it is random. */
export function otpPosition({ position }: Otp): string {
  return position;
}

/** The OTPs that the caller may see, newest first; `sms` tokens see none. @throws AppError `invalid_input`, and as `readScope`. */
export async function listOtps(ctx: Ctx, input: ListOtpsInput): Promise<Page<Otp>> {
  const scope = readScope(ctx);
  const { filter, ...page } = input;
  const { status, channel, recipient, from, to, ...unread } = filter ?? {};
  // A member of the filter that nothing reads does not compile.
  unread satisfies Record<string, never>;
  const digits = recipient == null ? null : parsePhone(recipient)?.digits;
  const read = async (before: string | null, limit: number): Promise<Otp[]> => {
    if (seesNoOtps(scope)) return [];
    // The place is taken before the database dates the OTP.
    const range = keyRange(...idBounds(from, to, ID_SLACK_MS), before);
    const where: FilterQuery<Otp> = {
      ...scope,
      // A door checks a code of the OTP that it finds, which the token can do in its own area alone.
      ...(ctx.request.isAtDoor ? { area: requireAccount(ctx).area } : {}),
      ...given({ status, channel, recipient: digits }),
      ...createdWithin(from, to),
      ...(range ? { position: range.id } : {}),
    };
    return ctx.em.find(Otp, where, { orderBy: { position: 'desc' }, limit, disableIdentityMap: true });
  };
  return readPage(page, read, otpPosition);
}

/** An OTP that the caller may see; null where there is none, for a malformed id too. @throws as `readScope`. */
export async function findOtp(ctx: Ctx, pinId: string): Promise<Otp | null> {
  const scope = readScope(ctx);
  const id = parseId('pin', pinId);
  return id === null || seesNoOtps(scope) ? null : ctx.em.findOne(Otp, { ...scope, id }, { disableIdentityMap: true });
}

/** The attempts of OTPs over channels, for each id in turn, in the order of the route, then of time. An OTP that the caller may not see has none. @throws as `readScope`. */
export async function loadDeliveries(ctx: Ctx, pinIds: readonly string[]): Promise<ChannelAttempt[][]> {
  const scope = readScope(ctx);
  const ids = pinIds.flatMap(id => parseId('pin', id) ?? []);
  if (ids.length === 0 || seesNoOtps(scope)) return pinIds.map(() => []);
  const otps = await ctx.em.find(Otp, { ...scope, id: { $in: ids } }, { disableIdentityMap: true });
  if (otps.length === 0) return pinIds.map(() => []);
  // Leaves out the older partitions: an attempt is made after its OTP.
  const lowest = uuidFloorAfter(otps.map(otp => otp.createdAt));
  const attempts = await ctx.em.find(
    Attempt,
    {
      ...scope,
      pinId: { $in: otps.map(otp => otp.id) },
      type: 'otp_attempt',
      ...keyRange(lowest, null),
    },
    { disableIdentityMap: true },
  );
  const byPin = Map.groupBy(attempts.filter(isChannelAttempt), attempt => attempt.pinId);
  const byId = new Map(otps.map(otp => [otp.id, otp]));
  return pinIds.map(pinId => {
    const otp = byId.get(parseId('pin', pinId) ?? '');
    if (!otp) return [];
    const made = withUnderWay(byPin.get(otp.id), otp, OTP.attemptOf(otp));
    return made.sort(byRoute(otp.channels));
  });
}

function seesNoOtps(scope: ReadScope): boolean {
  return scope.area === 'sms';
}
