/** The verb *answer a word*: answers STOP, HELP or a keyword with a text of the account, by the same channel and sender (contract §15). */
import type { AccountGrant, Ctx } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { defineJob } from '../../queue/kit.ts';
import { loadAccount } from '../accounts/load-account.ts';
import { getAccount } from '../accounts/manage-accounts.ts';
import { AutoReply } from '../auto-replies/auto-reply.entity.ts';
import { ANSWER_WORD, type AnswerWordPayload } from '../inbound/answer-word.ts';
import type { CloudTemplateInput } from '../routing/route.input.ts';
import { readOptOutSettings } from '../suppressions/opt-out-settings.ts';
import { sendMessage } from './send-message.ts';

/** Failures that may pass: the queue tries again. */
const PASSING: ReadonlySet<string> = new Set(['database_unavailable', 'overloaded', 'reference_in_flight']);

/** The job, with its verb. */
export const answerWordJob = defineJob({ ...ANSWER_WORD, run: answerWord });

/**
 * Sends the answer, once: the message that is answered is its reference. Of a stop it is the last text. An account that cannot send (no credits, a plan that is
 * over, a sender that was taken from it) answers nothing.
 */
async function answerWord(ctx: Ctx, payload: AnswerWordPayload): Promise<void> {
  const { accountId, messageId, answer } = payload;
  const account = await loadAccount(ctx.services.database, accountId);
  const told = account && (await readAnswer(ctx, payload));
  if (!told) return;
  const input = { replyTo: messageId, ...told, reference: `${answer}:${messageId}` };
  try {
    const sending = answer === 'keyword' ? account : withFreeText(account);
    await sendMessage(ctx.with({ actor: { kind: 'operator', account: sending } }), input, {
      goesToSuppressed: answer === 'stopText',
    });
  } catch (error) {
    if (!(error instanceof AppError) || PASSING.has(error.code)) throw error;
    ctx.log.warn({ accountId, messageId, answer, errorCode: error.code }, 'a word of a person was not answered');
  }
}

/** HELP and STOP are answered without a template. A cloud number that requires templates sends that text too, as the person has just written. */
function withFreeText(account: AccountGrant): AccountGrant {
  return { ...account, senders: account.senders.map(sender => ({ ...sender, templateRequired: false })) };
}

/** The answer as it is now; null: the account has taken it back. The route takes a template where the channel has templates. */
async function readAnswer(
  { em }: Ctx,
  payload: AnswerWordPayload,
): Promise<{ readonly text: string; readonly cloudTemplate?: CloudTemplateInput | null } | null> {
  const { accountId } = payload;
  if (payload.answer === 'keyword') {
    const { keyword } = payload;
    const reply = await em.findOne(AutoReply, { accountId, keyword }, { disableIdentityMap: true });
    return reply && { text: reply.text, cloudTemplate: reply.cloudTemplate ?? null };
  }
  const text = readOptOutSettings((await getAccount(em, accountId)).optOutSettings)[payload.answer];
  return text === null ? null : { text };
}
