/** Redelivery: a delivery that is over, or waits, goes on its way again, with the id and the body that it had. */
import { z } from 'zod';
import type { Ctx } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { ID_SLACK_MS, idBounds } from '../../../db/page.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { parseId, toUuid } from '../../../kernel/ids.ts';
import { defineJob } from '../../../queue/kit.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { recordOf } from '../../audit/record-audit.ts';
import type { RecoverInput, RedeliverInput } from '../deliveries/delivery-filter.input.ts';
import { WebhookDelivery } from '../deliveries/webhook-delivery.entity.ts';
import { findEndpoint } from '../endpoints/manage-endpoints.ts';
import { requireWebhookCaller } from '../endpoints/webhook-caller.ts';
import { WebhookEndpoint } from '../endpoints/webhook-endpoint.entity.ts';
import { wakeEndpoint } from '../events/announce-webhooks.ts';
import { WEBHOOK_EVENTS } from '../events/webhook-events.ts';
import { COUNT_MEANT, READ_CLOCK, RESTART_DELIVERY, RESTART_MEANT } from './redeliver.sql.ts';

/** How many one statement begins again, and how many one run of the job: a few seconds of work. */
const CHUNK_SIZE = 1_000;
const RUN_SIZE = 100_000;

/** The payload of the job. */
const redeliverySchema = z.object({
  endpointId: z.string(),
  /** The deliveries to begin again; `missed`: dead ones, and failed ones that wait for their next try. */
  status: z.enum(['dead', 'delivered', 'missed']),
  event: z.enum(WEBHOOK_EVENTS).nullable(),
  /** Made at this time or later, and before that one; null: no bound. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** When the redelivery was asked for, by the database's clock: a delivery that is over again since is not begun once more. */
  before: z.string(),
  /** The uuid behind which it goes on; null: from the beginning. */
  after: z.string().nullable(),
});
type Redelivery = z.infer<typeof redeliverySchema>;

/** Begins deliveries of an endpoint again. Their rows say which are left, so the next run makes good for one that was killed. */
export const redeliverWebhooksJob = defineJob({
  name: 'redeliver-webhooks',
  schema: redeliverySchema,
  queue: { retryLimit: 20, retryDelay: 5, retryBackoff: true, expireInSeconds: 60, deleteAfterSeconds: 86_400 },
  pollSeconds: 1,
  run: restartDeliveries,
});

/**
 * Makes a delivery again, at once and with its schedule from the beginning. @throws AppError `not_found`; `invalid_input` where its endpoint is
 * disabled or deleted, and for a test; and what `requireWebhookCaller` throws.
 */
export async function redeliverWebhook(ctx: Ctx, deliveryId: string): Promise<WebhookDelivery> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const id = parseId('dlv', deliveryId);
  const found = id ? await ctx.em.findOne(WebhookDelivery, { id, accountId }) : null;
  if (!found) throw new AppError('not_found', 'There is no such webhook delivery.');
  if (found.isTest) throw invalidInput('deliveryId', 'is a test; test the endpoint again instead');
  await ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const restarted = await RESTART_DELIVERY.first(sql, { id: toUuid(found.id) });
    if (!restarted) throw await refusalOf(em, found.endpointId);
    await recordOf(em, ctx, found, 'delivery.redelivered', { endpointId: found.endpointId });
    await wakeEndpoint(sql, found.endpointId);
  });
  return ctx.em.findOneOrFail(WebhookDelivery, { id: found.id }, { refresh: true });
}

async function refusalOf(em: Ctx['em'], id: string): Promise<AppError> {
  const isThere = (await em.count(WebhookEndpoint, { id })) > 0;
  return invalidInput(
    'deliveryId',
    isThere
      ? 'its endpoint is disabled; enable it first'
      : 'its endpoint was deleted, so there is nowhere to deliver it',
  );
}

/**
 * Makes deliveries of an endpoint again that are over and pass the filter, 50 a second; answers how many. @throws AppError `not_found`,
 * `invalid_input`, on `endpointId` where the endpoint is disabled; and what `requireWebhookCaller` throws.
 */
export async function redeliverWebhooks(ctx: Ctx, input: RedeliverInput): Promise<{ count: number }> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const { endpointId, filter } = input;
  const { status, event, from, to } = filter ?? {};
  return beginRedelivery(ctx, 'endpoint.redelivered', await findEndpoint(ctx.em, accountId, endpointId), {
    status: status ?? 'dead',
    event: event ?? null,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
  });
}

/** Makes again all that an endpoint missed since a time: what was given up, and what failed and waits. Answers how many. @throws as `redeliverWebhooks`. */
export async function recoverWebhooks(ctx: Ctx, input: RecoverInput): Promise<{ count: number }> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const { endpointId, since } = input;
  const endpoint = await findEndpoint(ctx.em, accountId, endpointId);
  const meant = { status: 'missed', event: null, from: since.toISOString(), to: null } as const;
  return beginRedelivery(ctx, 'endpoint.recovered', endpoint, meant);
}

function meantBy({ endpointId, status, event, from, to, before, after }: Redelivery) {
  const [lowestId, idEnd] = idBounds(
    from === null ? null : new Date(from),
    to === null ? null : new Date(to),
    ID_SLACK_MS,
  );
  return { endpoint: toUuid(endpointId), status, event, from, to, lowestId, idEnd, before, after };
}

function beginRedelivery(
  ctx: Ctx,
  action: AuditAction,
  endpoint: WebhookEndpoint,
  meant: Pick<Redelivery, 'status' | 'event' | 'from' | 'to'>,
): Promise<{ count: number }> {
  if (endpoint.status === 'disabled') throw invalidInput('endpointId', 'the endpoint is disabled; enable it first');
  return ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const clock = await READ_CLOCK.first(sql);
    const redelivery = { ...meant, endpointId: endpoint.id, before: clock?.before ?? '', after: null };
    const counted = await COUNT_MEANT.first(sql, meantBy(redelivery));
    const count = counted?.count ?? 0;
    if (count > 0) {
      await ctx.services.jobs.enqueue(em, redeliverWebhooksJob, [redelivery]);
      await recordOf(em, ctx, endpoint, action, { ...meant, count });
    }
    return { count };
  });
}

/** Runs a redelivery, chunk by chunk. Deliveries that were begun again are not meant any more, so it can be repeated. @throws AppError `database_unavailable`. */
export async function restartDeliveries(ctx: Ctx, redelivery: Redelivery): Promise<void> {
  let { after } = redelivery;
  for (let total = 0; total < RUN_SIZE; total += CHUNK_SIZE) {
    after = await restartChunk(ctx, { ...redelivery, after });
    if (after === null) return;
  }
  await ctx.em.transactional(em => ctx.services.jobs.enqueue(em, redeliverWebhooksJob, [{ ...redelivery, after }]));
}

/**
 * Begins a chunk again behind what an earlier one has begun, known by its step: 0 and waiting. Answers where the next chunk begins, so that
 * deliveries that fail again meanwhile are not begun once more; null: this was the last.
 */
async function restartChunk(ctx: Ctx, redelivery: Redelivery): Promise<string | null> {
  return ctx.services.database.fork().transactional(async em => {
    const sql = em.getKysely();
    // Redeliveries to one endpoint take turns, in a statement of its own: the next one sees what the other has begun.
    const endpoint = await em.findOne(WebhookEndpoint, { id: redelivery.endpointId }, LOCKED);
    // A disabled endpoint gets nothing: dead deliveries stay dead.
    if (!endpoint || endpoint.status === 'disabled') return null;
    const row = await RESTART_MEANT.first(sql, { ...meantBy(redelivery), limit: CHUNK_SIZE });
    if (!row?.last) return null;
    await wakeEndpoint(sql, redelivery.endpointId);
    return row.count < CHUNK_SIZE ? null : row.last;
  });
}
