/** Makes a linked number a sender of its account. */
import type { Ctx } from '../../../context.ts';
import { addSender, approveSender } from '../../accounts/manage-senders.ts';

/** Adds and approves it: the holder of its phone has proven that it is theirs. A failure is logged; the operator can do the same by hand. */
export async function makeSender(makeCtx: () => Ctx, accountId: string, name: string): Promise<void> {
  const sender = { accountId, channel: 'chat_qr', name } as const;
  try {
    await addSender(makeCtx(), sender);
    await approveSender(makeCtx(), sender);
  } catch (error) {
    makeCtx().log.error({ accountId, err: error }, 'a linked number could not be made a sender of its account');
  }
}
