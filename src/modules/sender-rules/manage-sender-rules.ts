/** The operator's verbs on sender rules. */
import { z } from 'zod';
import { type Ctx, requireOperator } from '../../context.ts';
import { runSql } from '../../db/statements/sql.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import { oneOf } from '../../kernel/input.ts';
import { isCountry, parsePhone } from '../../kernel/phone.ts';
import type { AuditAction } from '../audit/audit-actions.ts';
import { changes, recordAudit } from '../audit/record-audit.ts';
import { Connection } from '../connections/connection.entity.ts';
import { SenderRule } from './sender-rule.entity.ts';
import { ALPHANUMERIC_RULES } from './sender-rule.policy.ts';
import { announceSenderRules, stateOf } from './sender-rule-table.ts';

/** The input of `setSenderRule`. */
export const setSenderRuleInput = z
  .strictObject({
    country: z.string().meta({ description: "The recipients' country, ISO 3166-1 alpha-2, like `US`" }),
    connectionId: z
      .string()
      .nullish()
      .meta({ description: 'The connection that it is for, before the rule of all; absent: all' }),
    alphanumeric: oneOf(ALPHANUMERIC_RULES).meta({ description: 'What becomes of an SMS whose sender is a name' }),
    numericSender: z
      .string()
      .max(64, 'must have at most 64 characters')
      .nullish()
      .meta({ description: 'The number or short code that sends instead; for `replaced`, and required there' }),
  })
  .meta({
    id: 'SetSenderRuleInput',
    description: 'The rule of a country. It takes the place of the one that is there',
  });

/** Every rule, by country. */
export async function listSenderRules(ctx: Ctx): Promise<SenderRule[]> {
  requireOperator(ctx);
  return ctx.em.find(SenderRule, {}, { orderBy: { country: 'asc', id: 'asc' } });
}

/**
 * Sets the rule of a country: this process keeps to it at once, every other one within a second.
 * @throws AppError `invalid_input` on `country` and `numericSender`; `not_found` (connection)
 */
export async function setSenderRule(ctx: Ctx, input: z.infer<typeof setSenderRuleInput>): Promise<SenderRule> {
  requireOperator(ctx);
  const { alphanumeric } = input;
  const numericSender = readNumber(input);
  return changeRules(ctx, async em => {
    const key = await readKey(em, input);
    const known = await em.findOne(SenderRule, key);
    const details = changes({ ...(known && stateOf(known)) }, { ...key, alphanumeric, numericSender });
    if (known && details === null) return known;
    const values = { alphanumeric, numericSender, updatedAt: ctx.clock.now() };
    const rule = known ? Object.assign(known, values) : em.create(SenderRule, { id: newId('rul'), ...key, ...values });
    await record(em, ctx, rule, 'sender_rule.set', details ?? {});
    return rule;
  });
}

/** Removes the rule of a country. @throws AppError `not_found`; `invalid_input` on `country` */
export async function removeSenderRule(
  ctx: Ctx,
  given: { readonly country: string; readonly connectionId?: string | null | undefined },
): Promise<SenderRule> {
  requireOperator(ctx);
  return changeRules(ctx, async em => {
    const rule = await em.findOne(SenderRule, await readKey(em, given));
    if (!rule) throw new AppError('not_found', 'There is no such rule.');
    await record(em, ctx, rule, 'sender_rule.removed', { ...stateOf(rule) });
    em.remove(rule);
    return rule;
  });
}

/** Changes rules one caller after another, and lets this process read them when that is committed. */
async function changeRules(ctx: Ctx, change: (em: Ctx['em']) => Promise<SenderRule>): Promise<SenderRule> {
  const rule = await ctx.em.transactional(async em => {
    await runSql(em.getKysely(), 'lock table sender_rules in share row exclusive mode', []);
    return change(em);
  });
  await ctx.services.senderRules.refresh();
  return rule;
}

/** The key of a rule: its country and its connection, checked. */
async function readKey(
  em: Ctx['em'],
  given: { readonly country: string; readonly connectionId?: string | null | undefined },
): Promise<{ country: string; connectionId: string | null }> {
  // Not of any text: the upper case of ß is the code of a country.
  const country = /^[A-Za-z]{2}$/.test(given.country) ? given.country.toUpperCase() : '';
  if (!isCountry(country)) throw invalidInput('country', 'must be the code of a country, two letters like US');
  if (given.connectionId == null) return { country, connectionId: null };
  const id = parseId('con', given.connectionId);
  const connection = id ? await em.findOne(Connection, { id }) : null;
  if (!connection) throw new AppError('not_found', 'There is no such connection.');
  return { country, connectionId: connection.id };
}

/** The number of the rule, as senders are stored: digits only. */
function readNumber({ alphanumeric, numericSender }: z.infer<typeof setSenderRuleInput>): string | null {
  if (alphanumeric !== 'replaced') {
    if (numericSender != null) throw invalidInput('numericSender', 'goes with replaced only');
    return null;
  }
  if (numericSender == null) throw invalidInput('numericSender', 'is required for replaced');
  const number = /^[0-9]{3,15}$/.test(numericSender) ? numericSender : parsePhone(numericSender)?.digits;
  if (number === undefined) throw invalidInput('numericSender', 'must be a number with country code, or a short code');
  return number;
}

async function record(
  em: Ctx['em'],
  ctx: Ctx,
  { id: subject }: SenderRule,
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAudit(em, ctx, { accountId: null, action, subject, details });
  await announceSenderRules(em);
}
