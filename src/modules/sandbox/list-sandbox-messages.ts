/** The verb *list sandbox messages*: what reached the phones of the caller's account. */
import type { AccountGrant, Ctx } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { requirePhone } from '../../kernel/phone.ts';
import { requireAreas } from '../accounts/read-scope.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';

/** The most messages that an account keeps, and can list (contract §9). */
export const SANDBOX_KEPT_MAX = 1_000;

/** How long they are kept (contract §9). */
export const SANDBOX_KEPT_MS = 86_400_000;

const FIRST_DEFAULT = 50;

/**
 * The newest `first` (1 to 1,000, default 50) messages, newest first: of the phone `to`, or of all.
 * @throws AppError `unauthenticated`, `wrong_area`, `invalid_input`; `not_found` if the sandbox is off
 */
export async function listSandboxMessages(
  ctx: Ctx,
  input: { readonly to?: string | null | undefined; readonly first?: number | null | undefined },
): Promise<SandboxMessage[]> {
  const account = requirePhones(ctx);
  const first = input.first ?? FIRST_DEFAULT;
  if (!Number.isInteger(first) || first < 1 || first > SANDBOX_KEPT_MAX) {
    throw invalidInput('first', `must be a whole number from 1 to ${SANDBOX_KEPT_MAX}`);
  }
  const recipient = input.to == null ? null : requirePhone('to', input.to).digits;
  // Ids begin with the time. Older messages wait for the purge job.
  const oldest = uuidFloor(new Date(ctx.clock.now().getTime() - SANDBOX_KEPT_MS));
  const where = { accountId: account.id, id: { $gte: oldest }, ...(recipient === null ? {} : { recipient }) };
  return ctx.em.find(SandboxMessage, where, { orderBy: { id: 'desc' }, limit: first });
}

/** The account of a caller who may read the phones. @throws AppError `unauthenticated`, `wrong_area`; `not_found` if the sandbox is off */
export function requirePhones(ctx: Pick<Ctx, 'actor' | 'services'>): AccountGrant {
  const account = requireAreas(ctx, 'unified', 'management');
  if (!ctx.services.hasSandbox)
    throw new AppError('not_found', 'The sandbox is off here, so it has no phones (SANDBOX).');
  return account;
}
