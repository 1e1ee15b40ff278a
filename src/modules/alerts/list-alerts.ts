/** The verb *list alerts*: the alerts of an account, newest first, with their sends. */
import type { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { keyRange, type Page, pageInput, readPage } from '../../db/page.ts';
import { statement } from '../../db/statements/statement.ts';
import { fromUuid, toUuid } from '../../kernel/ids.ts';
import { Alert, AlertSend } from './alert.entity.ts';
import { requireAlertCaller } from './manage-alert-rules.ts';

/** The input of `listAlerts`. */
export const listAlertsInput = pageInput;

/** The alerts of the caller's account. @throws AppError `invalid_input` on `after`; and as `requireAlertCaller` */
export async function listAlerts(ctx: Ctx, page: z.infer<typeof listAlertsInput>): Promise<Page<Alert>> {
  const { id: accountId } = requireAlertCaller(ctx);
  return readPage(page, (before, limit) =>
    ctx.em.find(Alert, { accountId, ...keyRange(null, before) }, { orderBy: { id: 'desc' }, limit }),
  );
}

/** The sends of these alerts. */
export async function sendsOfAlerts(ctx: Ctx, alertIds: readonly string[]): Promise<AlertSend[]> {
  const where = { alertId: { $in: [...alertIds] } };
  return ctx.em.find(AlertSend, where, { orderBy: { way: 'asc', target: 'asc' } });
}

const COUNT_OPEN = statement('count open alerts', {
  takes: { rules: 'uuid[]' },
  gives: { rule: 'uuid', open: 'int' },
  sql: p => `select rule_id as rule, count(*)::int as open from alert_states
    where rule_id = any(${p.rules}) and raised_at is not null group by rule_id`,
});

/** The number of open alerts of each rule (things that are not well again), in the order of the ids. */
export async function openOfRules(ctx: Ctx, ruleIds: readonly string[]): Promise<number[]> {
  const rows = await COUNT_OPEN.run(ctx.services.database.sql(ctx.signal), { rules: ruleIds.map(toUuid) });
  const open = new Map(rows.map(row => [fromUuid('alr', row.rule), row.open]));
  return ruleIds.map(id => open.get(id) ?? 0);
}
