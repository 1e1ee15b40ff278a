/** The verbs *list phones* and *follow texts*, and the sends behind texts: for a page that shows the phones of the sandbox as inboxes. */
import { SANDBOX_ID } from '../../channels/sandbox/provider.ts';
import type { Ctx } from '../../context.ts';
import { fromUuid, parseId, toUuid, uuidFloor } from '../../kernel/ids.ts';
import type { Status } from '../../kernel/status.ts';
import { followWhileAllowed } from '../accounts/still-allowed.ts';
import { logFeedOf } from '../logs/log-feed.ts';
import { Otp } from '../otp/otp.entity.ts';
import { codeOf } from '../otp/send/code.ts';
import { Attempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { requirePhones, SANDBOX_KEPT_MS } from './list-sandbox-messages.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';
import { LIST_PHONES } from './sandbox-phones.sql.ts';

/** A phone that has texts. */
export interface SandboxPhone {
  /** In digits. */
  readonly number: string;
  readonly count: number;
  readonly last: SandboxMessage;
}

/** The send behind a text. */
export interface AboutText {
  readonly messageId: string | null;
  readonly pinId: string | null;
  readonly attemptId: string;
  readonly status: Status;
  /** The code in the text; null: no known one. */
  readonly code: string | null;
  /** Whether its code was verified; null: it has none, or the passcode is forgotten. */
  readonly isVerified: boolean | null;
}

/** The phones of the account, those with the newest texts first. @throws AppError as `listSandboxMessages` */
export async function listPhones(ctx: Ctx): Promise<SandboxPhone[]> {
  const account = requirePhones(ctx);
  const oldest = uuidFloor(new Date(ctx.clock.now().getTime() - SANDBOX_KEPT_MS));
  const rows = await LIST_PHONES.run(ctx.services.database.sql(), { account: toUuid(account.id), oldest });
  const ids = rows.map(({ newest }) => fromUuid('sbx', newest));
  const texts = await ctx.em.find(SandboxMessage, { id: { $in: ids }, accountId: account.id });
  const byId = new Map(texts.map(text => [text.id, text]));
  return rows.flatMap(({ recipient: number, count, newest }) => {
    const last = byId.get(fromUuid('sbx', newest));
    return last ? [{ number, count, last }] : [];
  });
}

/**
 * Follows the texts that arrive at phones of the account, each as the attempt that brought it; again when its status changes. @throws AppError
 * as `listSandboxMessages` and `followWhileAllowed`
 */
export async function followTexts(ctx: Ctx): Promise<AsyncIterableIterator<Attempt, undefined>> {
  const { id: accountId } = requirePhones(ctx);
  const matches = ({ provider, providerMessageId }: Attempt): boolean =>
    provider === SANDBOX_ID && providerMessageId != null;
  return followWhileAllowed(ctx, logFeedOf(ctx.services.database), { accountId, matches }, requirePhones);
}

const texts = new WeakMap<Attempt, Promise<SandboxMessage | null>>();

/** The text that an attempt brought, loaded once for all who are told of it; null: it is forgotten. */
export async function textOf({ services }: Ctx, attempt: Attempt): Promise<SandboxMessage | null> {
  const { accountId, providerMessageId } = attempt;
  const id = parseId('sbx', providerMessageId ?? '');
  if (id === null) return null;
  const text = texts.get(attempt) ?? services.database.fork().findOne(SandboxMessage, { id, accountId });
  texts.set(attempt, text);
  return text;
}

/** The sends behind texts, for each text in turn; null: its send is not stored yet, or is forgotten. @throws AppError as `listSandboxMessages` */
export async function aboutTexts(ctx: Ctx, texts: readonly SandboxMessage[]): Promise<(AboutText | null)[]> {
  const { id: accountId } = requirePhones(ctx);
  const em = ctx.services.database.fork();
  const found = await em.find(Attempt, {
    providerMessageId: { $in: texts.map(({ id }) => id) },
    accountId,
    provider: SANDBOX_ID,
  });
  const attempts = new Map(found.filter(isChannelAttempt).map(attempt => [attempt.providerMessageId, attempt]));
  const pinIds = found.flatMap(({ pinId }) => pinId ?? []);
  const otps = pinIds.length === 0 ? [] : await em.find(Otp, { id: { $in: pinIds }, accountId });
  const byPin = new Map(otps.map(otp => [otp.id, otp]));
  return texts.map(({ id, text }) => {
    const attempt = attempts.get(id);
    if (!attempt) return null;
    const otp = byPin.get(attempt.pinId ?? '');
    const code = otp ? codeOf(ctx.services.keys, otp) : null;
    const { messageId = null, pinId = null, id: attemptId, status } = attempt;
    const isShown = code !== null && text.includes(code);
    return {
      messageId,
      pinId,
      attemptId,
      status,
      code: isShown ? code : null,
      isVerified: otp ? otp.verifiedAt != null : null,
    };
  });
}
