/** The outcome `no_route`: no provider is asked, and the sentence says what there is. Pure. */
import { channelName } from '../kernel/channel.ts';
import type { SendOutcome } from './outcome.ts';
import type { ChoiceReason, Considered, Wanted } from './providers.ts';

/** How many connections a sentence names. */
const NAMED_MAX = 3;

/** The outcome of an attempt over a channel that no connection serves: nobody is asked, and it costs nothing. */
export function noRoute({ considered }: ChoiceReason, wanted: Wanted): SendOutcome {
  return { kind: 'rejected', code: 'no_route', message: messageOf(considered, wanted) };
}

function messageOf(considered: readonly Considered[], wanted: Wanted): string {
  if (considered.length === 0) return 'No provider is connected for this channel.';
  const named = considered.slice(0, NAMED_MAX).map(connection => whyNot(connection, wanted));
  const more = considered.length - named.length;
  const rest = more > 0 ? [`${more} more do not fit either`] : [];
  return `No connection ${lackOf(considered, wanted)}: ${[...named, ...rest].join('; ')}.`;
}

/** The thing that no connection does, as far as one would do the rest of it. */
function lackOf(considered: readonly Considered[], { channel, purpose, country }: Wanted): string {
  if (considered.some(({ verdict }) => verdict === 'country')) return `serves ${country() ?? 'this number'}`;
  const what = purpose === 'otp' ? 'passcodes' : 'messages';
  return `sends ${what} over ${channelName(channel)}`;
}

function whyNot({ name, verdict, countries }: Considered, { purpose }: Wanted): string {
  switch (verdict) {
    case 'country':
      return `${name} serves ${(countries ?? []).join(', ')}`;
    case 'paused':
      return `${name} is paused`;
    case 'unusable':
      return `the config of ${name} cannot be read`;
    case 'purpose':
      return `${name} is for ${purpose === 'otp' ? 'messages' : 'passcodes'} alone`;
    case 'number':
      return `${name} has another number`;
    default:
      return `${name} cannot send it`;
  }
}
