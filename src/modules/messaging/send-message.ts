/** The verb *send a message*: one text to one recipient, over the channels of its route. */
import type { CloudTemplate } from '../../channels/contract.ts';
import { type AccountGrant, type Ctx, requireAccount } from '../../context.ts';
import { fingerprint } from '../../kernel/crypto/fingerprint.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { fromUuid, idTime, newId } from '../../kernel/ids.ts';
import { type PhoneNumber, parsePhone, requirePhone } from '../../kernel/phone.ts';
import { REFERENCE_MESSAGE, REFERENCE_PATTERN } from '../../kernel/reference.ts';
import { requireUnifiedApi } from '../accounts/unified-api.policy.ts';
import { requireOpenWindow } from '../people/require-window.ts';
import { newAttempt } from '../routing/begin-attempt.ts';
import { acceptOrWithdraw } from '../routing/recovery/unfinished.ts';
import { routeSend } from '../routing/route-send.ts';
import { planRoute, type Route } from '../routing/routing.policy.ts';
import { tracedSend } from '../routing/traces/trace-send.ts';
import { routingOf, toUnderWay } from '../routing/under-way.ts';
import { isSuppressed, recipientSuppressed } from '../suppressions/refuse-suppressed.ts';
import { accept, findAnswer, type StoredAnswer } from './accept.ts';
import { restoreAnswer } from './answer.ts';
import { answerTo } from './answer-to.ts';
import type { Message } from './message.entity.ts';
import { MESSAGE } from './message-kind.ts';
import { IdempotencyKey } from './references/idempotency-key.entity.ts';
import type { SendMessageInput } from './send-message.input.ts';

/** A send that its caller may make: to whom, and over what. */
interface PlannedSend {
  readonly account: AccountGrant;
  readonly phone: PhoneNumber;
  readonly route: Route;
}

/** Authorises a send and plans its route; free text by a cloud chat goes within its window only. @throws AppError `unified_api_disabled`, `plan_expired`, `invalid_input`, `wrong_area`, `sender_not_approved`, `database_unavailable` */
export async function planSend(ctx: Ctx, input: SendMessageInput): Promise<PlannedSend> {
  const planned = await planFor(ctx, input, requireSender(ctx));
  const { account, phone, route } = planned;
  if (input.cloudTemplate == null) await requireOpenWindow(ctx, { accountId: account.id, phone, legs: route.legs });
  return planned;
}

/** The account that a message is sent for. @throws AppError `wrong_area`, `unified_api_disabled`, `plan_expired` */
function requireSender(ctx: Ctx): AccountGrant {
  const { account, area } = requireAccount(ctx);
  if (area !== 'unified' && area !== 'sms') throw new AppError('wrong_area');
  if (area === 'unified') requireUnifiedApi(account);
  return account;
}

async function planFor(ctx: Ctx, input: SendMessageInput, account: AccountGrant): Promise<PlannedSend> {
  const { area } = requireAccount(ctx);
  if (input.replyTo != null) {
    const { to, ...named } = await answerTo(ctx, { ...input, replyTo: input.replyTo }, account);
    const route = planRoute({ ...input, ...named }, account, area);
    return { account, phone: parsePhone(to) ?? { digits: to }, route };
  }
  return { account, phone: requirePhone('to', input.to ?? ''), route: planRoute(input, account, area) };
}

/**
 * Sends a message, or answers the first answer of the same request again (header `Idempotency-Replayed: true`). A message that
 * no channel accepted is an answer too, with status `failed`. @param how `goesToSuppressed`: the recipient gets it though it asked for no more, as the
 * confirmation of that.
 * @throws AppError `unified_api_disabled`, `plan_expired`, `invalid_input`, `wrong_area`, `sender_not_approved`,
 * `recipient_suppressed`, `insufficient_balance`, `reference_in_flight`, `reference_reused`, `database_unavailable`, `overloaded`.
 */
export async function sendMessage(
  ctx: Ctx,
  input: SendMessageInput,
  { goesToSuppressed = false }: { readonly goesToSuppressed?: boolean } = {},
): Promise<Message> {
  const planned = await planSend(ctx, input).catch((error: unknown) => ({ error }));
  if ('error' in planned) return answerAgain(ctx, input, planned.error);
  const { phone, route } = planned;
  const message = newMessage(ctx, input, phone.digits, route);
  // A repeat has its answer, whatever its recipient has asked for since: the batch looks.
  if (goesToSuppressed) message.goesToSuppressed = true;
  else if (message.reference === null && isSuppressed(ctx, message)) throw recipientSuppressed();
  return tracedSend(ctx, 'send message', message, () => deliver(ctx, input, message, route));
}

async function deliver(ctx: Ctx, input: SendMessageInput, message: Message, route: Route): Promise<Message> {
  const attempts = (message.deliveryMode === 'all' ? route.legs : route.legs.slice(0, 1)).map(leg =>
    newAttempt(ctx, MESSAGE, message, leg),
  );
  message.underWay = toUnderWay(attempts);
  const { database, suppressed } = ctx.services;
  const erased = suppressed.erasedName(message.accountId, message.recipient);
  const item = { message, attempts, fingerprint: requestFingerprint(message, input), erased };
  const accepted = await acceptOrWithdraw(ctx, MESSAGE, message, attempts, () => accept(database)(item));
  if (accepted.kind === 'replayed') return replay(ctx, message, accepted);
  const rest = route.legs.slice(attempts.length);
  const { lease, shortage } = accepted;
  await routeSend(ctx, { send: message, kind: MESSAGE, lease, shortage, attempts, rest });
  message.attempts = attempts;
  return message;
}

/** Answers a repeat that could not be planned any more, whatever has closed since. @throws AppError the refusal of the plan, where it is no repeat; `reference_in_flight`, `reference_reused` */
async function answerAgain(ctx: Ctx, input: SendMessageInput, refusal: unknown): Promise<Message> {
  const account = requireSender(ctx);
  if (referenceOf(input.reference, ctx.request.idempotencyKey) === null) throw refusal;
  // As the account may have been when the first request came.
  const senders = account.senders.map(sender => ({ ...sender, approved: true, templateRequired: false }));
  const planned = planFor(ctx, input, { ...account, senders, smartEncoding: true });
  const { phone, route } = await planned.catch(() => Promise.reject(refusal));
  const message = newMessage(ctx, input, phone.digits, route);
  const known = await findAnswer(ctx.services.database.sql(), {
    message,
    fingerprint: requestFingerprint(message, input),
  });
  if (!known) throw refusal;
  return replay(ctx, message, known);
}

function replay(ctx: Ctx, message: Message, { messageId, answer }: StoredAnswer): Message {
  ctx.request.answerHeaders.set('Idempotency-Replayed', 'true');
  message.id = fromUuid('msg', messageId);
  return restoreAnswer(message, MESSAGE.attemptOf(message), answer);
}

/** Whether the reference of a request is known: the batch says by its fingerprint whether it is the same one. @throws AppError `invalid_input` */
export async function isRepeat(ctx: Ctx, given: string | null | undefined): Promise<boolean> {
  const { account, area } = requireAccount(ctx);
  const reference = referenceOf(given, ctx.request.idempotencyKey);
  if (reference === null) return false;
  const live = { accountId: account.id, area, reference, expiresAt: { $gt: ctx.clock.now() } };
  return (await ctx.em.count(IdempotencyKey, live)) > 0;
}

/** A message as plain data: the ORM watches every property of its own instances, and a send goes past it. */
function newMessage(ctx: Ctx, input: SendMessageInput, recipient: string, route: Route): Message {
  const { account, area } = requireAccount(ctx);
  const id = newId('msg');
  return {
    id,
    accountId: account.id,
    area,
    recipient,
    text: input.text,
    ...routingOf(input, account, route),
    cloudTemplate: templateOf(input),
    reference: referenceOf(input.reference, ctx.request.idempotencyKey),
    // The times of a filter are those of ids.
    createdAt: idTime(id),
  };
}

/** The template of a request; components that are null are absent, so that both are the same request. */
function templateOf({ cloudTemplate }: SendMessageInput): CloudTemplate | null {
  if (cloudTemplate == null) return null;
  const { components, ...template } = cloudTemplate;
  return components == null ? template : { ...template, components };
}

/**
 * Two requests are the same if their fingerprints are: of everything that decides what is sent, in its normalised form. Empty if not needed. The account's
 * fallback in time may change between them: that of the request counts.
 */
function requestFingerprint(message: Message, { replyTo, fallbackAfter, successStatus }: SendMessageInput): string {
  if (message.reference === null) return '';
  const { text, channels, deliveryMode, chatFrom, sender, cloudTemplate } = message;
  // The writer of a message may get another id between two tries.
  const recipient = replyTo ?? message.recipient;
  const inTime = fallbackAfter == null && successStatus == null ? {} : { fallbackAfter, successStatus };
  const request = { recipient, text, channels, deliveryMode, chatFrom, sender, cloudTemplate, ...inTime };
  return fingerprint(request).toString('hex');
}

/** The reference of a request: its field, or the header `Idempotency-Key`. Both given and different is refused (contract §4). */
function referenceOf(reference: string | null | undefined, idempotencyKey: string | null): string | null {
  if (idempotencyKey === null) return reference ?? null;
  // Clients that write it as a structured field put it in quotes.
  const key = /^"(.*)"$/.exec(idempotencyKey)?.[1] ?? idempotencyKey;
  if (!REFERENCE_PATTERN.test(key)) throw invalidInput('Idempotency-Key', REFERENCE_MESSAGE);
  if (reference == null) return key;
  if (reference === key || reference === idempotencyKey) return reference;
  throw invalidInput('reference', 'differs from the header Idempotency-Key: give one of them, or the same twice');
}
