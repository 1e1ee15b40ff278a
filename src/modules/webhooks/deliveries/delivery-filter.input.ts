/** The inputs of the verbs on deliveries. */
import { z } from 'zod';
import { inOrder, pageInput } from '../../../db/page.ts';
import { oneOf, wholeFrom } from '../../../kernel/input.ts';
import { textInput } from '../../../kernel/storable.ts';
import { WEBHOOK_EVENTS } from '../events/webhook-events.ts';
import { DELIVERY_STATUSES } from './webhook-delivery.entity.ts';

/** Longer than any word for a failure. One that names none is no fault: it finds nothing. */
const ERROR_LENGTH_MAX = 64;

/** The statuses of deliveries that can begin again by filter: those that are over. */
const FINISHED_STATUSES = ['dead', 'delivered'] as const;

const FINISHED_MESSAGE = `must be one of ${FINISHED_STATUSES.join(', ')}: what is pending is tried anyway`;

/** Nothing was made outside these, and PostgreSQL and JavaScript write a year 0 or 10000 in different ways. */
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(9999, 11, 31);

const time = z
  .date('must be a date and time')
  .transform(date => new Date(Math.min(Math.max(date.getTime(), EARLIEST_MS), LATEST_MS)));

const endpointId = z.string().meta({ description: 'The endpoint' });

/** The fields that both filters have. */
const shared = {
  event: oneOf(WEBHOOK_EVENTS).nullish().meta({ description: 'Deliveries of this event' }),
  from: time.nullish().meta({ description: 'Deliveries made at this time or later' }),
  to: time.nullish().meta({ description: 'Deliveries made before this time' }),
};

const deliveryFilterInput = inOrder(
  z.strictObject({
    status: oneOf(DELIVERY_STATUSES).nullish().meta({ description: 'Deliveries that stand there' }),
    ...shared,
    httpStatus: wholeFrom(100, 599).nullish().meta({ description: 'Deliveries whose last try was answered so' }),
    error: textInput(ERROR_LENGTH_MAX).nullish().meta({ description: 'Deliveries whose `error` is this word' }),
  }),
).meta({ id: 'WebhookDeliveryFilter', description: 'Which deliveries to list; what is absent does not narrow' });

/** The input of `listWebhookDeliveries`. */
export const listDeliveriesInput = z.strictObject({
  endpointId,
  ...pageInput.shape,
  filter: deliveryFilterInput.nullish().meta({ description: 'Which deliveries' }),
});

/** The input of `listWebhookDeliveries`, checked. */
export type ListDeliveriesInput = z.output<typeof listDeliveriesInput>;

/** The input of `redeliverWebhooks`. */
export const redeliverInput = z.strictObject({
  endpointId,
  filter: inOrder(
    z.strictObject({
      status: z
        .enum(DELIVERY_STATUSES, FINISHED_MESSAGE)
        .pipe(z.enum(FINISHED_STATUSES, FINISHED_MESSAGE))
        .nullish()
        .meta({ description: 'Deliveries that stand there: `dead`, as where it is absent, or `delivered`' }),
      ...shared,
    }),
  )
    .meta({
      id: 'WebhookRedeliveryFilter',
      description: 'Which deliveries begin again; what is absent does not narrow, but for the status',
    })
    .nullish()
    .meta({ description: 'Which deliveries' }),
});

/** The input of `redeliverWebhooks`, checked. */
export type RedeliverInput = z.output<typeof redeliverInput>;

/** The input of `recoverWebhooks`. */
export const recoverInput = z.strictObject({
  endpointId,
  since: time.meta({ description: 'Deliveries made at this time or later' }),
});

/** The input of `recoverWebhooks`, checked. */
export type RecoverInput = z.output<typeof recoverInput>;
