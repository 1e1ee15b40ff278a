/** The verbs on alert rules. Another account's rule is as one that does not exist. */
import type { AccountGrant, Ctx } from '../../context.ts';
import { LOCKED } from '../../db/locked.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import { getAccount } from '../accounts/manage-accounts.ts';
import { requireStill } from '../accounts/people/people-account.ts';
import { requireAreas } from '../accounts/read-scope.ts';
import type { AlertKind } from '../answers/alert-kind.ts';
import { changes, recordOf } from '../audit/record-audit.ts';
import { KINDS } from './alert-kinds.ts';
import { AlertRule } from './alert-rule.entity.ts';
import type { CreateAlertRuleInput, UpdateAlertRuleInput } from './alert-rule.input.ts';
import { AlertState } from './alert-state.entity.ts';
import { watchAlertsJob } from './alerts.jobs.ts';
import { sealSlackUrl } from './sends/slack-url.ts';

/** The most rules of an account: each is looked at every minute. */
const RULES_MAX = 20;

/** The account of who manages alerts. @throws AppError as `requireAreas` */
export function requireAlertCaller(ctx: Ctx): AccountGrant {
  return requireAreas(ctx, 'management');
}

/** The rules of the caller's account, oldest first. @throws AppError as `requireAlertCaller` */
export async function listAlertRules(ctx: Ctx): Promise<AlertRule[]> {
  return ctx.em.find(AlertRule, { accountId: requireAlertCaller(ctx).id }, { orderBy: { id: 'asc' } });
}

/** A rule of the caller's account. @throws AppError `not_found`; and as `requireAlertCaller` */
export async function getAlertRule(ctx: Ctx, ruleId: string): Promise<AlertRule> {
  return findRule(ctx.em, requireAlertCaller(ctx).id, ruleId);
}

/** Makes a rule. @throws AppError `invalid_input`, also where the account has 20; and as `requireAlertCaller` */
export async function createAlertRule(ctx: Ctx, input: CreateAlertRuleInput): Promise<AlertRule> {
  const { id: accountId } = requireAlertCaller(ctx);
  const { kind, mail, slackUrl } = input;
  await checkWays(ctx, { mail, slackUrl });
  return ctx.em.transactional(async em => {
    // Creations of one account wait for each other, so that each counts exactly.
    await getAccount(em, accountId, LOCKED);
    await requireStill(em, ctx.actor, 'change');
    if ((await em.count(AlertRule, { accountId })) >= RULES_MAX)
      throw invalidInput('kind', `cannot be added: the account has ${RULES_MAX} rules, the most there can be`);
    const { offer } = KINDS[kind];
    const [id, now] = [newId('alr'), ctx.clock.now()];
    const rule = em.create(AlertRule, {
      id,
      accountId,
      kind,
      threshold: readThreshold(kind, input.threshold ?? offer.threshold),
      lastingMinutes: input.lastingMinutes ?? offer.lastingMinutes,
      quietMinutes: input.quietMinutes ?? offer.quietMinutes,
      mail: mail ?? [],
      ...(slackUrl == null ? {} : sealSlackUrl(ctx.services.keys, id, slackUrl)),
      createdAt: now,
      updatedAt: now,
    });
    await recordOf(em, ctx, rule, 'alert_rule.created', stateOf(rule));
    await lookSoon(ctx, em);
    return rule;
  });
}

/** Changes a rule. Its states are dropped: all that it watches is judged anew, as by a new rule. @throws AppError `not_found`, `invalid_input`; and as `requireAlertCaller` */
export async function updateAlertRule(ctx: Ctx, input: UpdateAlertRuleInput): Promise<AlertRule> {
  const { threshold, lastingMinutes, quietMinutes, mail, slackUrl, paused } = input;
  await checkWays(ctx, { mail, slackUrl });
  return changeRule(ctx, input.ruleId, async (em, rule) => {
    const before = { ...stateOf(rule), slackUrl: rule.slackUrl };
    if (threshold != null) rule.threshold = readThreshold(rule.kind, threshold);
    if (lastingMinutes != null) rule.lastingMinutes = lastingMinutes;
    if (quietMinutes != null) rule.quietMinutes = quietMinutes;
    if (mail != null) rule.mail = mail;
    if (slackUrl === null) Object.assign(rule, { slackUrl: null, slackKeyId: null, slackHost: null });
    else if (slackUrl !== undefined) Object.assign(rule, sealSlackUrl(ctx.services.keys, rule.id, slackUrl));
    if (paused != null) rule.isPaused = paused;
    const isNewUrl = rule.slackUrl !== before.slackUrl;
    const details = changes(before, { ...stateOf(rule), slackUrl: before.slackUrl });
    if (details === null && !isNewUrl) return;
    rule.updatedAt = ctx.clock.now();
    await em.nativeDelete(AlertState, { ruleId: rule.id });
    await recordOf(em, ctx, rule, 'alert_rule.updated', {
      ...details,
      ...(isNewUrl && rule.slackUrl !== null ? { slackUrl: 'set' } : {}),
    });
    await lookSoon(ctx, em);
  });
}

/** Deletes a rule, and answers it as it was. Its alerts stay. @throws AppError `not_found`; and as `requireAlertCaller` */
export async function deleteAlertRule(ctx: Ctx, ruleId: string): Promise<AlertRule> {
  return changeRule(ctx, ruleId, async (em, rule) => {
    await recordOf(em, ctx, rule, 'alert_rule.deleted', stateOf(rule));
    em.remove(rule);
  });
}

async function changeRule(
  ctx: Ctx,
  ruleId: string,
  change: (em: Ctx['em'], rule: AlertRule) => Promise<void>,
): Promise<AlertRule> {
  const { id: accountId } = requireAlertCaller(ctx);
  return ctx.em.transactional(async em => {
    await requireStill(em, ctx.actor, 'change');
    const rule = await findRule(em, accountId, ruleId, LOCKED);
    await change(em, rule);
    return rule;
  });
}

async function findRule(em: Ctx['em'], accountId: string, ruleId: string, how?: typeof LOCKED): Promise<AlertRule> {
  const id = parseId('alr', ruleId);
  const rule = id === null ? null : await em.findOne(AlertRule, { id, accountId }, how);
  if (!rule) throw new AppError('not_found', 'There is no such alert rule.');
  return rule;
}

/** Watches at once, not only with the next minute: whoever makes a rule waits to see it work. */
async function lookSoon({ services: { jobs } }: Ctx, em: Ctx['em']): Promise<void> {
  await em.flush();
  await jobs.enqueue(em, watchAlertsJob, [{}]);
}

/** The threshold, if it fits the kind. @throws AppError `invalid_input` */
function readThreshold(kind: AlertKind, threshold: number | null): number | null {
  const {
    unit,
    range: [min, max],
  } = KINDS[kind];
  if (unit === null) {
    if (threshold !== null) throw invalidInput('threshold', `goes with no rule of the kind ${kind}`);
    return null;
  }
  if (threshold === null || threshold < min || threshold > max)
    throw invalidInput('threshold', `must be a whole number of ${unit} from ${min} to ${max}`);
  return threshold;
}

/** Whether the ways can be used. Names are resolved, which takes its time: never under a lock. @throws AppError `invalid_input` */
async function checkWays(ctx: Ctx, { mail, slackUrl }: Pick<UpdateAlertRuleInput, 'mail' | 'slackUrl'>): Promise<void> {
  if (mail != null && mail.length > 0 && !ctx.services.mail.isSet)
    throw invalidInput('mail', 'cannot be used: this gateway sends no mail (its setting SMTP_URL is not set)');
  const fault = slackUrl == null ? null : await ctx.services.outbound.check(slackUrl);
  if (fault !== null) throw invalidInput('slackUrl', fault);
}

/** The fields of a rule for the audit trail: the host of the URL only, since the URL is a secret. */
function stateOf({ kind, threshold, lastingMinutes, quietMinutes, mail, slackHost, isPaused }: AlertRule) {
  return {
    kind,
    threshold: threshold ?? null,
    lastingMinutes,
    quietMinutes,
    mail: [...mail],
    slackHost: slackHost ?? null,
    paused: isPaused,
  };
}
