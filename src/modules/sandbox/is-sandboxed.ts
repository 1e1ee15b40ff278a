/** Whether the sandbox answers for an account: nothing is connected, and it is on. */
import type { Ctx } from '../../context.ts';
import { DEFAULT_CHANNEL } from '../../kernel/channel.ts';

/** Whether the sandbox answers for all numbers of an account; for its own test numbers it always does. */
export function isSandboxed({ services }: Ctx, accountId: string): boolean {
  const wanted = {
    accountId,
    channel: DEFAULT_CHANNEL,
    purpose: 'message',
    recipient: '',
    country: () => null,
  } as const;
  return services.providers.explain(wanted).sentBy === 'sandbox';
}
