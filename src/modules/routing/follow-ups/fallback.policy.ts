/** The time that an accepted channel has (contract §14). Pure. */
import type { AccountGrant } from '../../../context.ts';
import { CHANNEL_FACTS, type Channel } from '../../../kernel/channel.ts';
import { STATUS_RANK, type SuccessStatus } from '../../../kernel/status.ts';
import type { Route } from '../routing.policy.ts';

/** A fallback in time as a send keeps it; null twice: it has none. */
interface FallbackInTime {
  readonly fallbackAfter: number | null;
  readonly successStatus: SuccessStatus | null;
}

const NONE: FallbackInTime = { fallbackAfter: null, successStatus: null };

/** The fallback in time of a send: its own, else the account's; none where no channel could follow. */
export function fallbackOf(
  input: { readonly [Field in keyof FallbackInTime]?: FallbackInTime[Field] | undefined },
  account: Pick<AccountGrant, 'fallbackAfter' | 'successStatus'>,
  { legs, deliveryMode }: Route,
): FallbackInTime {
  const fallbackAfter = input.fallbackAfter ?? account.fallbackAfter;
  if (fallbackAfter === null || deliveryMode !== 'fallback' || legs.length < 2) return NONE;
  return { fallbackAfter, successStatus: input.successStatus ?? account.successStatus };
}

/**
 * The status that an accepted attempt is waited for: the wanted one, or the best that its channel can report. Null: the connection reports no
 * arrival, so that accepted is the best there is.
 */
export function awaitedStatus(channel: Channel, wanted: SuccessStatus, tellsArrivals: boolean): SuccessStatus | null {
  if (!tellsArrivals) return null;
  const best = CHANNEL_FACTS[channel].reports;
  return STATUS_RANK[wanted] > STATUS_RANK[best] ? best : wanted;
}
