/** The verb *note templates*: a provider tells by itself what became of templates. */
import type { TemplateNews } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { CloudTemplate } from './cloud-template.entity.ts';
import { lockConnection } from './sync-templates.ts';
import { announceTemplates } from './template-table.ts';
import { syncTemplatesJob } from './templates.jobs.ts';

/** Statuses that are as good as another one. */
const SAME: ReadonlyMap<string, string> = new Map([['REINSTATED', 'APPROVED']]);

/** The status of a template that there is no more. */
const GONE = 'DELETED';

/** The word of a status without a reason. */
const NO_REASON = 'NONE';

/** How much older than what is known news must be to be out of date: clocks differ, and so do the ways. */
const LATE_MS = 60_000;

const latest = (one: Date, other: Date): Date => (one > other ? one : other);

/** Stores statuses that were told, for every process within a second. Of a template that is not known yet, or by news that came late, the provider is asked a moment later. */
export async function noteTemplates(
  ctx: Ctx,
  { id: connectionId }: { readonly id: string },
  news: readonly TemplateNews[],
): Promise<void> {
  if (news.length === 0) return;
  await ctx.em.transactional(async em => {
    if (!(await lockConnection(em, connectionId))) return;
    const now = ctx.clock.now();
    let isComplete = true;
    for (const { name, language, status, reason, toldAt } of news) {
      const template = await em.findOne(CloudTemplate, { connectionId, name, language }, { refresh: true });
      const known = SAME.get(status) ?? status;
      const word = reason === NO_REASON ? null : reason;
      if (template && toldAt && toldAt.getTime() < template.syncedAt.getTime() - LATE_MS) {
        // A list has no word of a pause, so late news may bring it.
        if (template.status === known) template.reason ??= word;
        else isComplete = false;
      } else if (template && status === GONE) em.remove(template);
      else if (template)
        Object.assign(template, {
          status: known,
          reason: word,
          // When they were told, so that newer ones which come behind them are not late.
          syncedAt: latest(template.syncedAt, toldAt && toldAt < now ? toldAt : now),
        });
      else isComplete &&= status === GONE;
    }
    if (!isComplete) await ctx.services.jobs.enqueue(em, syncTemplatesJob, [{ connectionId }]);
    await announceTemplates(em);
  });
  await ctx.services.cloudTemplates.refresh();
}
