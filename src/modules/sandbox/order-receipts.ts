/** The verbs *report a text* and *order the next receipt*: whoever tries the gateway decides what phones of the sandbox report. */
import type { z } from 'zod';
import type { Receipt } from '../../channels/contract.ts';
import { SANDBOX_ID } from '../../channels/sandbox/provider.ts';
import type { Ctx } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { parseId, toUuid } from '../../kernel/ids.ts';
import { requirePhone } from '../../kernel/phone.ts';
import { recordReceipts } from '../routing/receipts/record-receipts.ts';
import { requirePhones } from './list-sandbox-messages.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';
import { ORDER_NEXT } from './sandbox-orders.sql.ts';
import type { sandboxNextReceiptInput, sandboxReceiptInput } from './sandbox-receipt.input.ts';

/** The receipt of a text. */
export function sandboxReceipt(
  providerMessageId: string,
  attemptId: string | null,
  status: Receipt['status'],
): Receipt {
  const isBad = status === 'failed' || status === 'expired';
  return {
    provider: SANDBOX_ID,
    providerMessageId,
    ...(attemptId === null ? {} : { attemptId }),
    status,
    errorCode: isBad ? 'undelivered' : null,
    errorMessage: isBad ? 'The phone did not take the message.' : null,
  };
}

/**
 * Lets a phone report a text that it has, by the way of every receipt. @throws AppError as `listSandboxMessages`; `not_found` for an unknown text;
 * `invalid_input` on `outcome` where more is reported already; `overloaded` while the send is not stored
 */
export async function reportText(ctx: Ctx, input: z.output<typeof sandboxReceiptInput>): Promise<SandboxMessage> {
  const account = requirePhones(ctx);
  const { id, outcome } = input;
  const known = parseId('sbx', id);
  const text = known && (await ctx.em.findOne(SandboxMessage, { id: known, accountId: account.id }));
  if (!text) throw new AppError('not_found', 'There is no such text on a phone of the sandbox.');
  const [result] = await recordReceipts(ctx, [sandboxReceipt(text.id, null, outcome)]);
  if (result === 'unmatched')
    throw new AppError('overloaded', 'The send of this text is not stored yet. Try again in a moment.', {
      retryAfter: 1,
    });
  if (result === 'ignored')
    throw invalidInput(
      'outcome',
      'changes nothing: more is reported of this text already. Call sandboxNextReceipt before you send, to decide what is reported first',
    );
  return text;
}

/** Decides what a phone reports of the next text that it gets. @throws AppError as `listSandboxMessages` */
export async function orderNextReceipt(ctx: Ctx, input: z.output<typeof sandboxNextReceiptInput>): Promise<string> {
  const account = requirePhones(ctx);
  const { to, outcome, delaySeconds } = input;
  const recipient = requirePhone('to', to).digits;
  await ORDER_NEXT.run(ctx.services.database.sql(), {
    account: toUuid(account.id),
    recipient,
    outcome: outcome ?? null,
    delaySeconds: delaySeconds ?? 0,
  });
  return recipient;
}
