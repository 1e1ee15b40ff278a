/** Whether the sandbox answers for an account: nothing is connected, and it is on. */
import type { Ctx } from '../../context.ts';
import { DEFAULT_CHANNEL } from '../../kernel/channel.ts';

/** It tells of numbers that are not the sandbox's own: those it answers for everybody. */
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
