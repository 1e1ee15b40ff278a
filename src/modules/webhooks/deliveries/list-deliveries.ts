/** The verbs that read deliveries, their tries and what they tell. Another account's do not exist for the caller. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../../context.ts';
import {
  createdWithin,
  given,
  ID_SLACK_MS,
  idBounds,
  keyRange,
  type Looked,
  look,
  NEWEST_FIRST,
  type Page,
  readPage,
  readPageByLook,
  rowsBy,
} from '../../../db/page.ts';
import { endOfLooked, listLooked, lookBounds } from '../../../db/statements/look.sql.ts';
import { statement } from '../../../db/statements/statement.ts';
import { idTime, parseId, toUuid, uuidFloorAfter } from '../../../kernel/ids.ts';
import { getWebhookEndpoint } from '../endpoints/manage-endpoints.ts';
import { requireWebhookCaller } from '../endpoints/webhook-caller.ts';
import { loadToldEvents } from '../events/load-events.ts';
import { webhookBody } from '../events/webhook-events.ts';
import type { ListDeliveriesInput } from './delivery-filter.input.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookTry } from './webhook-try.entity.ts';

const FOUND = { endpoint: 'uuid', from: 'uuid', to: 'uuid' } as const;

/** The parameters of a filter. Null does not narrow. */
const FILTER = {
  status: 'text?',
  event: 'text?',
  httpStatus: 'int?',
  error: 'text?',
  since: 'timestamptz?',
  until: 'timestamptz?',
} as const;

type Placed<Parameters> = Readonly<Record<keyof Parameters, string>>;

const found = (p: Placed<typeof FOUND>, isDead: boolean): string =>
  `endpoint_id = ${p.endpoint} and id >= ${p.from} and id < ${p.to}${isDead ? " and status = 'dead'" : ''}`;

const passes = (p: Placed<typeof FILTER>): string =>
  `(${p.status} is null or a.status = ${p.status}) and (${p.event} is null or a.event = ${p.event})
    and (${p.httpStatus} is null or a.http_status = ${p.httpStatus}) and (${p.error} is null or a.error = ${p.error})
    and (${p.since} is null or a.created_at >= ${p.since}) and (${p.until} is null or a.created_at < ${p.until})`;

const lookOver = (name: string, isDead: boolean) => ({
  list: statement(`list ${name}`, {
    takes: { ...FOUND, ...FILTER, limit: 'int' },
    gives: { id: 'uuid' },
    sql: p => listLooked('webhook_deliveries', found(p, isDead), passes(p), p.limit),
  }),
  end: statement(`end of ${name}`, {
    takes: FOUND,
    gives: { id: 'uuid' },
    sql: p => endOfLooked('webhook_deliveries', found(p, isDead)),
  }),
});

/** The statements of a look: at all deliveries to an endpoint, and by the index of the dead ones. */
const LOOK = { all: lookOver('deliveries', false), dead: lookOver('dead deliveries', true) };

/**
 * The deliveries to an endpoint, newest first. By event, answer, error or the status `delivered` a page searches the newest 100,000. Such a page may be
 * short, and the next one goes on from there. @throws AppError `not_found`, `invalid_input`, and what `requireWebhookCaller` throws
 */
export async function listWebhookDeliveries(ctx: Ctx, input: ListDeliveriesInput): Promise<Page<WebhookDelivery>> {
  requireWebhookCaller(ctx);
  const { endpointId, filter, ...page } = input;
  const { status, event, from, to, httpStatus, error } = filter ?? {};
  const { id, accountId } = await getWebhookEndpoint(ctx, endpointId);
  // The indexes have what waits and what is dead.
  const isWhole = [event, httpStatus, error].every(value => value == null) && status !== 'delivered';
  if (!isWhole) return readPageByLook(page, (before, limit) => lookAt(ctx, id, filter ?? {}, before, limit));
  return readPage(page, (before, limit) => {
    const where: FilterQuery<WebhookDelivery> = {
      endpointId: id,
      accountId,
      ...given({ status }),
      ...createdWithin(from, to),
      ...keyRange(...idBounds(from, to, ID_SLACK_MS), before),
    };
    return ctx.em.find(WebhookDelivery, where, { ...NEWEST_FIRST, limit });
  });
}

/** One look: the deliveries that pass. */
function lookAt(
  ctx: Ctx,
  endpointId: string,
  { status, event, httpStatus, error, from, to }: NonNullable<ListDeliveriesInput['filter']>,
  before: string | null,
  limit: number,
): Promise<Looked<WebhookDelivery>> {
  const values = {
    ...lookBounds(...idBounds(from, to, ID_SLACK_MS), before),
    endpoint: toUuid(endpointId),
    status: status ?? null,
    event: event ?? null,
    httpStatus: httpStatus ?? null,
    error: error ?? null,
    since: from ?? null,
    until: to ?? null,
  };
  const rowsOf = rowsBy('dlv', ids => ctx.em.find(WebhookDelivery, { id: { $in: ids } }, NEWEST_FIRST));
  return look(ctx.services.database.sql(ctx.signal), LOOK[status === 'dead' ? 'dead' : 'all'], values, limit, rowsOf);
}

/** A delivery of the caller's account; null where there is none, for a malformed id too. @throws as `requireWebhookCaller`. */
export async function getWebhookDelivery(ctx: Ctx, deliveryId: string): Promise<WebhookDelivery | null> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const id = parseId('dlv', deliveryId);
  return id === null ? null : ctx.em.findOne(WebhookDelivery, { id, accountId }, { disableIdentityMap: true });
}

/** The tries of deliveries, for each id in turn, in the order in which they were made. @throws as `requireWebhookCaller`. */
export async function listTries(ctx: Ctx, deliveryIds: readonly string[]): Promise<WebhookTry[][]> {
  const { id: accountId } = requireWebhookCaller(ctx);
  // A try is made after its delivery: older partitions are not looked at.
  const lowest = uuidFloorAfter(deliveryIds.map(idTime));
  const tries = await ctx.em.find(
    WebhookTry,
    {
      accountId,
      deliveryId: { $in: [...deliveryIds] },
      ...keyRange(lowest, null),
    },
    { orderBy: { createdAt: 'asc', id: 'asc' }, disableIdentityMap: true },
  );
  const byDelivery = Map.groupBy(tries, made => made.deliveryId);
  return deliveryIds.map(id => byDelivery.get(id) ?? []);
}

/** The bodies of deliveries by the ids of their events, each in turn; null where the event is kept no longer. @throws as `requireWebhookCaller`. */
export async function loadBodies(ctx: Ctx, eventIds: readonly string[]): Promise<(string | null)[]> {
  const { id: accountId } = requireWebhookCaller(ctx);
  const events = await loadToldEvents(ctx.services.database.sql(ctx.signal), eventIds);
  return eventIds.map(id => {
    const event = events.get(id);
    return event?.accountId === accountId ? webhookBody(event) : null;
  });
}
