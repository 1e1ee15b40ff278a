/** The verbs on auto-replies: what an account answers to which keywords (contract §15). */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { LOCKED } from '../../db/locked.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { isStorableText } from '../../kernel/storable.ts';
import { getAccount } from '../accounts/manage-accounts.ts';
import { requireAreas } from '../accounts/read-scope.ts';
import { changes, recordAudit } from '../audit/record-audit.ts';
import { cloudTemplateInput } from '../routing/route.input.ts';
import { answerTextInput, readOptOutSettings, wordInput } from '../suppressions/opt-out-settings.ts';
import { isReserved, wordOf } from '../suppressions/stop-words.policy.ts';
import { AutoReply } from './auto-reply.entity.ts';

/** The most auto-replies of an account. */
const REPLIES_MAX = 100;

/** The input of `setAutoReply`. */
export const setAutoReplyInput = z
  .strictObject({
    keyword: wordInput.meta({
      description:
        'The word that is answered, where a text is exactly it, without case, surrounding blanks and punctuation',
      example: 'HOURS',
    }),
    text: answerTextInput.meta({
      description: 'The answer. By a channel with templates the template goes in its place, where there is one',
      example: 'We are open from 9 to 18.',
    }),
    cloudTemplate: cloudTemplateInput.nullish().meta({
      description: 'The template that answers by `chat_cloud`; absent: the text does',
    }),
  })
  .meta({
    id: 'SetAutoReplyInput',
    description: 'The answer to a keyword. It takes the place of the one that is there',
  });

/** The auto-replies of the caller's account, by keyword. @throws AppError as `requireAreas` */
export async function listAutoReplies(ctx: Ctx): Promise<AutoReply[]> {
  const { id: accountId } = requireAreas(ctx, 'unified', 'management');
  return ctx.em.find(AutoReply, { accountId }, { orderBy: { keyword: 'asc' }, disableIdentityMap: true });
}

/** Sets the answer to a keyword, for what comes in from now on. @throws AppError `invalid_input`; and as `requireAreas` */
export async function setAutoReply(ctx: Ctx, input: z.infer<typeof setAutoReplyInput>): Promise<AutoReply> {
  const { id: accountId } = requireAreas(ctx, 'management');
  // The input was checked: it is a word.
  const keyword = wordOf(input.keyword) ?? '';
  const { text, cloudTemplate = null } = input;
  return ctx.em.transactional(async em => {
    // Changes of one account wait for each other: what each of them counts is exact.
    const account = await getAccount(em, accountId, LOCKED);
    if (isReserved(keyword, readOptOutSettings(account.optOutSettings)))
      throw invalidInput('keyword', 'is a word that stops, starts or helps: `optOutSettings` has what answers it');
    const known = await em.findOne(AutoReply, { accountId, keyword });
    if (!known && (await em.count(AutoReply, { accountId })) >= REPLIES_MAX)
      throw invalidInput(
        'keyword',
        `cannot be added: the account has ${REPLIES_MAX} auto-replies, the most there can be`,
      );
    const values = { text, cloudTemplate };
    const details = changes(known ? stateOf(known) : {}, { keyword, ...values });
    if (known && details === null) return known;
    const updatedAt = ctx.clock.now();
    const reply = { accountId, keyword, ...values, updatedAt };
    // The unit of work does not convert the id of a key of two columns.
    if (known) await em.nativeUpdate(AutoReply, { accountId, keyword }, { ...values, updatedAt });
    else await em.insert(AutoReply, reply);
    await recordAudit(em, ctx, {
      accountId,
      action: 'auto_reply.set',
      subject: accountId,
      details: { ...details, keyword },
    });
    return em.create(AutoReply, reply, { persist: false, managed: false });
  });
}

/** Removes the answer to a keyword, and answers it as it was. @throws AppError `not_found`; and as `requireAreas` */
export async function removeAutoReply(ctx: Ctx, given: string): Promise<AutoReply> {
  const { id: accountId } = requireAreas(ctx, 'management');
  const keyword = isStorableText(given) ? wordOf(given) : null;
  return ctx.em.transactional(async em => {
    const reply = keyword === null ? null : await em.findOne(AutoReply, { accountId, keyword }, LOCKED);
    if (!reply) throw new AppError('not_found', 'There is no auto-reply to this keyword.');
    await recordAudit(em, ctx, {
      accountId,
      action: 'auto_reply.removed',
      subject: accountId,
      details: stateOf(reply),
    });
    await em.nativeDelete(AutoReply, { accountId, keyword: reply.keyword });
    return reply;
  });
}

/** The values that the trail keeps. */
function stateOf({ keyword, text, cloudTemplate = null }: AutoReply) {
  return { keyword, text, cloudTemplate };
}
