/** The verb *watch alerts*: looks at all rules, and tells the alerts that are due. Any number of processes may do it at once. */
import type { Ctx } from '../../context.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { KINDS } from './alert-kinds.ts';
import { FORGET_WELL, NOTE_READING, TELL_DUE } from './judge-alerts.sql.ts';
import { WATCHED_RULES } from './readings.sql.ts';
import type { WatchedRule } from './readings.ts';
import { sendAlertJob } from './sends/send-alert.ts';

/** Looks once at every rule, and answers how many alerts it told. A kind that cannot be looked at holds up no other. */
export async function watchAlerts(ctx: Ctx): Promise<number> {
  const rules = await WATCHED_RULES.run(ctx.services.database.sql());
  for (const group of Map.groupBy(rules, ({ kind }) => kind).values()) {
    try {
      await look(ctx, group);
    } catch (error) {
      ctx.log.error({ err: error, kind: group[0]?.kind }, 'alert rules could not be looked at; the next look follows');
    }
  }
  return tellDue(ctx);
}

/** Looks at the rules of a kind. The result is dated by the start of the look: things may have changed since. */
async function look(ctx: Ctx, rules: readonly WatchedRule[]): Promise<void> {
  const [first] = rules;
  if (!first) return;
  const sql = ctx.services.database.sql();
  const { ill, unclear = [] } = await KINDS[first.kind].read(sql, rules, first.at.getTime());
  await NOTE_READING.run(sql, { kind: first.kind, at: first.at, ill, unclear });
}

/** Tells the alerts that are due, and enqueues their sends in the same commit. */
async function tellDue(ctx: Ctx): Promise<number> {
  const told = await ctx.em.transactional(async em => {
    const rows = await TELL_DUE.run(em.getKysely());
    const sends = rows.flatMap(({ send }) => (send === null ? [] : [{ sendId: send }]));
    if (sends.length > 0) await ctx.services.jobs.enqueue(em, sendAlertJob, sends);
    return new Map(rows.map(row => [row.alert, row]));
  });
  for (const { account, kind, raised } of told.values())
    ctx.log.info({ accountId: fromUuid('acc', account), kind, raised }, 'an alert was told');
  await FORGET_WELL.run(ctx.services.database.sql());
  return told.size;
}
