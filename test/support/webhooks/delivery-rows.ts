import { newId } from '../../../src/kernel/ids.ts';
import { WebhookDelivery } from '../../../src/modules/webhooks/deliveries/webhook-delivery.entity.ts';
import { WebhookTry } from '../../../src/modules/webhooks/deliveries/webhook-try.entity.ts';
import { idAt } from '../logs/log-rows.ts';

/** A delivery to an endpoint of an account, acknowledged at its first try unless told otherwise; not stored. */
export function makeDelivery(
  { accountId, endpointId }: { readonly accountId: string; readonly endpointId: string },
  given: Partial<WebhookDelivery> = {},
): WebhookDelivery {
  const createdAt = given.createdAt ?? new Date();
  return Object.assign(new WebhookDelivery(), {
    id: idAt('dlv', createdAt),
    accountId,
    endpointId,
    eventId: newId('evt'),
    event: 'message.sent' as const,
    isTest: false,
    status: 'delivered' as const,
    tries: 1,
    step: 1,
    nextTryAt: null,
    httpStatus: 200,
    error: null,
    createdAt,
    finishedAt: new Date(),
    ...given,
  });
}

/** A try of a delivery, acknowledged unless told otherwise; not stored. */
export function makeTryRow(
  { id: deliveryId, accountId, endpointId }: WebhookDelivery,
  given: Partial<WebhookTry> = {},
): WebhookTry {
  return Object.assign(new WebhookTry(), {
    id: newId('try'),
    accountId,
    endpointId,
    deliveryId,
    number: 1,
    httpStatus: 200,
    durationMs: 12,
    error: null,
    errorMessage: null,
    response: 'ok',
    createdAt: new Date(),
    ...given,
  });
}
