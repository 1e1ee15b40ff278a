/** The verb *erase a recipient*: the number, the ids and the words of one person leave every table (contract §16). */
import type { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { rangedIds } from '../../db/statements/ranged-ids.ts';
import { isRetryable } from '../../db/statements/sql.ts';
import { AppError } from '../../kernel/errors.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { TELL_ROUTED } from '../routing/follow-ups/follow-ups.sql.ts';
import { LOCK_SENDS } from '../routing/settle.sql.ts';
import { LOCK_LISTS, NAME_ERASED } from '../suppressions/suppressions.sql.ts';
import { CHANGED, wakeEndpoint } from '../webhooks/events/announce-webhooks.ts';
import { FIND_UNDER_WAY, FIND_WAITING_ENDPOINTS, LOCK_PEOPLE } from './find-recipient.sql.ts';
import { findRecipient, type recipientInput, requireRecipient } from './find-recipient.ts';
import { BEGIN_ERASURE, ERASE_ROWS, TABLES } from './recipient.sql.ts';
import { shownName } from './shown-record.policy.ts';

/** How often an erasure is tried while others hold its rows. */
const TRIES_MAX = 5;

/** When a send that is under way should be over, in seconds. */
const RETRY_SECONDS = 5;

/** The outcome of an erasure. */
export interface ErasedRecipient {
  readonly accountId: string;
  /** How many rows of each kind, such as `messages`, were blanked or deleted; kinds without any are absent. */
  readonly rows: Readonly<Record<string, number>>;
  /** Whether the recipient is suppressed: that stays, without the number. */
  readonly isSuppressed: boolean;
}

/**
 * Erases a recipient, in one transaction: all of it happens or nothing. Live passcodes are cancelled, and no channel follows, which `message.routed` tells. An
 * entry of the audit trail stays, without the number. Repeating it changes nothing more. @throws AppError `recipient_in_flight`: a send to it is in the hands of a
 * process; as `requireRecipient`
 */
export async function eraseRecipient(ctx: Ctx, input: z.infer<typeof recipientInput>): Promise<ErasedRecipient> {
  const recipient = await requireRecipient(ctx, input);
  const { accountId, to } = recipient;
  const { suppressed } = ctx.services;
  const erase = async (em: Ctx['em']) => {
    const sql = em.getKysely();
    // Nobody learns another address of the person meanwhile.
    await LOCK_LISTS.run(sql, { accounts: [toUuid(accountId)] });
    await BEGIN_ERASURE.run(sql);
    const found = await findRecipient(sql, recipient, ctx.actor.kind === 'operator');
    await LOCK_PEOPLE.run(sql, found);
    if (found.sends.length > 0) await LOCK_SENDS.messages.run(sql, rangedIds(found.sends));
    const people = found.addresses.map(person => {
      return { account_id: found.account, person, erased: suppressed.erasedName(accountId, person) };
    });
    const changes = await NAME_ERASED.run(sql, { people });
    // The events are blanked with the others.
    await TELL_ROUTED.run(sql, { sends: found.sends, accounts: [found.account] });
    const rows: Record<string, number> = {};
    for (const table of TABLES) {
      const { count } = (await ERASE_ROWS[table]?.first(sql, found)) ?? { count: 0 };
      if (count > 0) rows[shownName(table)] = count;
    }
    // The rows of the sends are locked by now: what is not under way will not be.
    if ((await FIND_UNDER_WAY.first(sql, found))?.is_under_way) throw inFlight();
    // Workers load again, blank, what they have in hand for them.
    for (const { id } of await FIND_WAITING_ENDPOINTS.run(sql, found))
      await wakeEndpoint(sql, fromUuid('whk', id), CHANGED);
    await recordAudit(em, ctx, { accountId, action: 'recipient.erased', subject: accountId, details: { rows } });
    return { changes, rows };
  };
  const { changes, rows } = await retrying(() => ctx.em.transactional(erase));
  for (const change of changes) suppressed.note(change);
  return { accountId, rows, isSuppressed: suppressed.has(accountId, to) };
}

/** Sends and words lock the same rows in orders of their own: of two that wait for each other PostgreSQL ends one. */
async function retrying<Made>(run: () => Promise<Made>): Promise<Made> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await run();
    } catch (error) {
      if (!isRetryable(error) || tryNumber === TRIES_MAX) throw error;
    }
  }
}

function inFlight(): AppError {
  const message = 'A send to this recipient is under way, so nothing was erased. Try again in a few seconds.';
  return new AppError('recipient_in_flight', message, { retryAfter: RETRY_SECONDS });
}
