/** The inputs of the verbs on deliveries. */
import { z } from 'zod';
import { pageInput } from '../../../db/page.ts';
import { isStorableText } from '../../../kernel/storable.ts';
import { WEBHOOK_EVENTS } from '../events/webhook-events.ts';
import { DELIVERY_STATUSES } from './webhook-delivery.entity.ts';

/** Longer than any word for a failure. One that names none is no fault: it finds nothing. */
const ERROR_LENGTH_MAX = 64;

const STATUS_MESSAGE = 'must be a whole number from 100 to 599';

/** The statuses of deliveries that can begin again by filter: those that are over. */
const FINISHED_STATUSES = ['dead', 'delivered'] as const;

const event = z.enum(WEBHOOK_EVENTS, `must be one of ${WEBHOOK_EVENTS.join(', ')}`).nullish();

/** Nothing was made outside these, and PostgreSQL and JavaScript write a year 0 or 10000 in different ways. */
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(9999, 11, 31);

const time = z
  .date('must be a date and time')
  .transform(date => new Date(Math.min(Math.max(date.getTime(), EARLIEST_MS), LATEST_MS)));

/** When deliveries were made: `from` inclusive, `to` exclusive. */
const times = { from: time.nullish(), to: time.nullish() };

/** Which deliveries of an endpoint. Every field narrows, and an absent one (or null) does not. */
const deliveryFilterInput = z.strictObject({
  status: z.enum(DELIVERY_STATUSES, `must be one of ${DELIVERY_STATUSES.join(', ')}`).nullish(),
  event,
  ...times,
  /** What the endpoint answered to the last try. */
  httpStatus: z.int(STATUS_MESSAGE).min(100, STATUS_MESSAGE).max(599, STATUS_MESSAGE).nullish(),
  error: z
    .string()
    .min(1, 'must not be empty')
    .max(ERROR_LENGTH_MAX, `must have at most ${ERROR_LENGTH_MAX} characters`)
    .refine(isStorableText, 'holds a character that cannot be stored')
    .nullish(),
});

/** The input of `listWebhookDeliveries`. */
export const listDeliveriesInput = pageInput.extend({
  endpointId: z.string(),
  filter: deliveryFilterInput.nullish(),
});

/** What the edges hand to `listWebhookDeliveries`. */
export type ListDeliveriesInput = z.infer<typeof listDeliveriesInput>;

const redeliveryFilterInput = z.strictObject({
  status: z
    .enum(FINISHED_STATUSES, `must be one of ${FINISHED_STATUSES.join(', ')}: what is pending is tried anyway`)
    .nullish(),
  event,
  ...times,
});

/** The input of `redeliverWebhooks`. `status` is `dead` where it is absent. */
export const redeliverInput = z.strictObject({ endpointId: z.string(), filter: redeliveryFilterInput.nullish() });

/** What the edges hand to `redeliverWebhooks`: any status, of which some are refused. */
export type RedeliverInput = Pick<ListDeliveriesInput, 'endpointId'> & {
  readonly filter?: Pick<z.infer<typeof deliveryFilterInput>, 'status' | 'event' | 'from' | 'to'> | null | undefined;
};

/** The input of `recoverWebhooks`. */
export const recoverInput = z.strictObject({ endpointId: z.string(), since: time });

/** What the edges hand to `recoverWebhooks`. */
export type RecoverInput = z.infer<typeof recoverInput>;
