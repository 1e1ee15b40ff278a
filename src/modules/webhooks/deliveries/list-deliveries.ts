/** The verbs that read deliveries, their tries and what they tell. Another account's do not exist for the caller. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Ctx } from '../../../context.ts';
import { keyRange, type Page, readPage } from '../../../db/page.ts';
import { idTime, parseId, uuidFloor, uuidFloorAfter } from '../../../kernel/ids.ts';
import { getWebhookEndpoint } from '../endpoints/manage-endpoints.ts';
import { requireWebhookCaller } from '../endpoints/webhook-caller.ts';
import { loadToldEvents } from '../events/load-events.ts';
import { webhookBody } from '../events/webhook-events.ts';
import type { ListDeliveriesInput } from './delivery-filter.input.ts';
import { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookTry } from './webhook-try.entity.ts';

/** How far the time in the id of a delivery may be from its `createdAt`: both are taken in one statement. */
const ID_SLACK_MS = 60_000;

/** The deliveries to an endpoint, newest first. @throws AppError `not_found`, `invalid_input`, and what `requireWebhookCaller` throws. */
export async function listWebhookDeliveries(ctx: Ctx, input: ListDeliveriesInput): Promise<Page<WebhookDelivery>> {
  requireWebhookCaller(ctx);
  const { endpointId, filter, ...page } = input;
  const { status, event, from, to, httpStatus, error } = filter ?? {};
  const { id, accountId } = await getWebhookEndpoint(ctx, endpointId);
  const range = idsBetween(from, to);
  return readPage(page, (before, limit) => {
    const where: FilterQuery<WebhookDelivery> = {
      endpointId: id,
      accountId,
      ...(status == null ? {} : { status }),
      ...(event == null ? {} : { event }),
      ...(httpStatus == null ? {} : { httpStatus }),
      ...(error == null ? {} : { error }),
      ...(from || to ? { createdAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) } } : {}),
      ...keyRange(range.from, range.to, before),
    };
    return ctx.em.find(WebhookDelivery, where, { orderBy: { id: 'desc' }, limit, disableIdentityMap: true });
  });
}

/** The uuids that deliveries made between two instants can have: a range that leaves out the other partitions. Null: no bound. */
export function idsBetween(
  from: Date | null | undefined,
  to: Date | null | undefined,
): { readonly from: string | null; readonly to: string | null } {
  return {
    from: from ? uuidFloor(new Date(from.getTime() - ID_SLACK_MS)) : null,
    to: to ? uuidFloor(new Date(to.getTime() + ID_SLACK_MS)) : null,
  };
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
