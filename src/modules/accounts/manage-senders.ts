/** The verbs on senders: an operator adds and approves them, a token of the account lists them. */
import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { type Ctx, type OtpTemplate, requireAccount, requireOperator } from '../../context.ts';
import { LOCKED } from '../../db/locked.ts';
import { CHANNEL_FACTS, CHANNELS, DEFAULT_CHANNEL, TEMPLATE_CHANNELS } from '../../kernel/channel.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { oneOf } from '../../kernel/input.ts';
import { parsePhone, senderAddress } from '../../kernel/phone.ts';
import { textInput } from '../../kernel/storable.ts';
import type { AuditAction } from '../audit/audit-actions.ts';
import { changes, recordOf } from '../audit/record-audit.ts';
import { announceAccountChange } from './authenticate.ts';
import { getAccount } from './manage-accounts.ts';
import { Sender } from './sender.entity.ts';

/** The input of `addSender` and `approveSender`. */
export const senderInput = z
  .strictObject({
    accountId: z.string().meta({ description: 'The account' }),
    name: z
      .string()
      .max(64, 'must have at most 64 characters')
      .meta({ description: 'An SMS sender name (1 to 11 letters, digits or spaces), or a number' }),
    channel: oneOf(CHANNELS).nullish().meta({ description: 'The channel that it sends over; `sms` where absent' }),
  })
  .meta({ id: 'SenderInput', description: 'A sender of an account' });

type SenderInput = z.infer<typeof senderInput>;

/** The address of a sender as it is kept. @throws AppError `invalid_input` */
function requireAddress({ channel, name }: SenderInput): string {
  const address = senderAddress(channel ?? DEFAULT_CHANNEL, name);
  if (address !== null) return address;
  if (CHANNEL_FACTS[channel ?? DEFAULT_CHANNEL].senderIs === 'number')
    throw invalidInput('name', 'must be a phone number with country code');
  throw invalidInput('name', 'must have 1 to 11 letters, digits or spaces with at least one letter, or be a number');
}

/** Adds a sender, not approved yet, as its channel's default if it is the first; safe to repeat. @throws AppError `not_found`, `invalid_input` */
export async function addSender(ctx: Ctx, input: SenderInput): Promise<Sender> {
  requireOperator(ctx);
  const address = requireAddress(input);
  const channel = input.channel ?? DEFAULT_CHANNEL;
  return ctx.em.transactional(async em => {
    // Locked: concurrent calls would add the same name twice, or two defaults.
    const { id: accountId } = await getAccount(em, input.accountId, LOCKED);
    const known = await em.findOne(Sender, { accountId, channel, address });
    if (known) return known;
    const isDefault = (await em.count(Sender, { accountId, channel, isDefault: true })) === 0;
    const sender = em.create(Sender, {
      id: newId('snd'),
      accountId,
      channel,
      address,
      isDefault,
      createdAt: ctx.clock.now(),
    });
    await recordOf(em, ctx, sender, 'sender.added', { channel, name: address, isDefault });
    await announceAccountChange(em);
    return sender;
  });
}

/** Approves a sender; repeating it changes nothing. @throws AppError `not_found` */
export async function approveSender(ctx: Ctx, input: SenderInput): Promise<Sender> {
  requireOperator(ctx);
  const address = requireAddress(input);
  return ctx.em.transactional(async em => {
    const { id: accountId } = await getAccount(em, input.accountId);
    const sender = await lockSender(em, { accountId, channel: input.channel ?? DEFAULT_CHANNEL, address });
    if (!sender) throw new AppError('not_found', 'The account has no such sender. Add it first.');
    if (sender.approvedAt != null) return sender;
    sender.approvedAt = ctx.clock.now();
    await recordOf(em, ctx, sender, 'sender.approved', { channel: sender.channel, name: address });
    await announceAccountChange(em);
    return sender;
  });
}

/** A sender of an account, locked, so that only one of two concurrent calls changes it. */
function lockSender(em: Ctx['em'], where: FilterQuery<Sender>): Promise<Sender | null> {
  return em.findOne(Sender, where, LOCKED);
}

/** The input of `setOtpTemplate`. `name` must be present; null removes the template. */
export const setOtpTemplateInput = z
  .strictObject({
    accountId: z.string().meta({ description: 'The account' }),
    address: z.string().max(64, 'must have at most 64 characters').meta({ description: 'The cloud number' }),
    name: textInput(512).nullish().meta({ description: 'Name of the template; null takes the template away' }),
    language: textInput(35)
      .nullish()
      .meta({ description: 'Language of the template, like `en_US`. Required with a name' }),
  })
  .meta({ id: 'SetOtpTemplateInput', description: 'The template by which a cloud number sends codes' });

/** Sets or removes the template of a cloud number for codes; where templates are synchronised, it must be one for codes. @throws AppError `not_found`, `invalid_input` */
export async function setOtpTemplate(ctx: Ctx, input: z.infer<typeof setOtpTemplateInput>): Promise<Sender> {
  requireOperator(ctx);
  const { name, language } = input;
  // An absent name must not remove a template by accident.
  if (name === undefined) throw invalidInput('name', 'is required; null takes the template away');
  if (name !== null && language == null) throw invalidInput('language', 'is required with a name, like en_US');
  const otpTemplate = name === null || language == null ? null : { name, language };
  return changeCloudNumber(ctx, input, 'otp_template.updated', sender => {
    const fault = otpTemplate && otpTemplateFault(ctx, sender, otpTemplate);
    if (fault) throw invalidInput(fault.field, fault.message);
    const before = { name: sender.otpTemplate?.name, language: sender.otpTemplate?.language };
    sender.otpTemplate = otpTemplate;
    return changes(before, otpTemplate ?? {});
  });
}

/** Changes a cloud number of an account, and tells of it; `change` answers what it changed, or null. @throws AppError `not_found`, `invalid_input` */
async function changeCloudNumber(
  ctx: Ctx,
  input: { readonly accountId: string; readonly address: string },
  action: AuditAction,
  change: (sender: Sender) => ReturnType<typeof changes>,
): Promise<Sender> {
  const number = parsePhone(input.address)?.digits;
  if (!number) throw invalidInput('address', 'must be a phone number with country code');
  return ctx.em.transactional(async em => {
    const { id: accountId } = await getAccount(em, input.accountId);
    const sender = await lockSender(em, { accountId, channel: { $in: TEMPLATE_CHANNELS }, address: number });
    if (!sender) throw new AppError('not_found', 'The account has no such cloud number. Add it first.');
    const changed = change(sender);
    if (changed === null) return sender;
    await recordOf(em, ctx, sender, action, { number, ...changed });
    await announceAccountChange(em);
    return sender;
  });
}

/** The input of `setTemplateRequired`. */
export const setTemplateRequiredInput = setOtpTemplateInput
  .pick({ accountId: true, address: true })
  .extend({
    isRequired: z.boolean().meta({
      description: 'True, the default: always. False: outside of the 24 hours after the recipient wrote, as Meta does',
    }),
  })
  .meta({ id: 'SetTemplateRequiredInput', description: 'When a cloud number needs a template' });

/** Sets whether a cloud number takes templates only. @throws AppError `not_found`, `invalid_input` */
export async function setTemplateRequired(
  ctx: Ctx,
  { accountId, address, isRequired }: z.infer<typeof setTemplateRequiredInput>,
): Promise<Sender> {
  requireOperator(ctx);
  return changeCloudNumber(ctx, { accountId, address }, 'sender.updated', sender => {
    const before = { templateRequired: sender.templateRequired };
    sender.templateRequired = isRequired;
    return changes(before, { templateRequired: isRequired });
  });
}

/** Why the connections of a sender cannot send codes by this template; null: they can, or their templates are not known. */
function otpTemplateFault({ services }: Ctx, { accountId, channel }: Sender, template: OtpTemplate) {
  const anyone = { accountId, channel, purpose: 'otp', recipient: '', country: () => null } as const;
  const { considered } = services.providers.explain(anyone);
  return services.cloudTemplates.otpFaultOf(
    considered.map(({ connectionId }) => connectionId),
    template,
  );
}

/** The senders of the caller's account, or of the account that an operator names. @throws AppError `not_found` */
export async function listSenders(ctx: Ctx, accountId: string | null): Promise<Sender[]> {
  if (accountId === null) return findSenders(ctx, requireAccount(ctx).account.id);
  requireOperator(ctx);
  return findSenders(ctx, (await getAccount(ctx.em, accountId)).id);
}

function findSenders(ctx: Ctx, accountId: string): Promise<Sender[]> {
  return ctx.em.find(Sender, { accountId }, { orderBy: { id: 'asc' } });
}
