/** The verb *update request log*: which requests an account has kept. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { invalidInput } from '../../kernel/errors.ts';
import type { Account } from '../accounts/account.entity.ts';
import { changeAccount } from '../accounts/manage-accounts.ts';
import { askedAccount } from '../audit/list-audit.ts';
import { changes } from '../audit/record-audit.ts';

/** The input of `updateRequestLog`. */
export const updateRequestLogInput = z
  .strictObject({
    accountId: z
      .string()
      .nullish()
      .meta({ description: 'The account, for an operator; absent: that of the token, or the one it acts for' }),
    accepted: z.boolean().meta({ description: 'Whether accepted requests of its tokens are kept too' }),
  })
  .meta({ id: 'UpdateRequestLogInput', description: 'What the request log of an account keeps' });

/**
 * Sets whether the log keeps accepted requests, for every process within a second.
 * @throws AppError `unauthenticated`, `wrong_area`, `not_found`; `invalid_input` for an operator who named no account
 */
export async function updateRequestLog(ctx: Ctx, input: z.infer<typeof updateRequestLogInput>): Promise<Account> {
  const accountId = await askedAccount(ctx, input.accountId);
  if (accountId === null) throw invalidInput('accountId', 'name the account');
  return changeAccount(ctx, accountId, 'account.updated', account => {
    const { logsAccepted } = account;
    account.logsAccepted = input.accepted;
    return changes({ logsAccepted }, { logsAccepted: input.accepted });
  });
}
